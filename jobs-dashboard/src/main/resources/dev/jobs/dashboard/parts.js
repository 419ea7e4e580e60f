// Pieces that several pages use.

import {h, hold, release} from './dom.js';
import {act, config} from './api.js';
import {exact, plural} from './format.js';

const STATES = {READY: 'Waiting', SCHEDULED: 'Scheduled', RETRYING: 'Retrying', RUNNING: 'Running', SUCCEEDED: 'Succeeded', DEAD: 'Dead', CANCELLED: 'Cancelled'};

export function pill(state, extra) {
	return h('span', {class: `pill ${state.toLowerCase()}`}, STATES[state] || state, extra);
}

export function statePill(job) {
	return pill(job.retrying && job.state === 'SCHEDULED' ? 'RETRYING' : job.state);
}

export function link(parts, params) {
	const query = new URLSearchParams(Object.entries(params || {}).filter(([, value]) => value)).toString();
	return '#/' + parts.map(encodeURIComponent).join('/') + (query ? '?' + query : '');
}

// The number of the attempt that runs or will run; of a dead job that of the last one.
export function attempts(job) {
	return job.state === 'DEAD' ? exact(job.attempt - 1) : exact(job.attempt);
}

// The tags of a job, each of which leads to all jobs that have it.
export function tags(job) {
	return job.tags ? h('span', {class: 'tags'}, job.tags.map((tag) => h('a', {class: 'tag', href: link(['jobs'], {tag})}, tag))) : null;
}

// A button. One for an action has data-act, and is busy until the action has ended.
export function button(label, onclick, props) {
	return h('button', {type: 'button', onclick: props && props['data-act'] ? (event) => whileHeld(event.currentTarget, onclick) : onclick, ...props}, label);
}

async function whileHeld(pressed, action) {
	const page = pressed.closest('.page');
	if (page.held) {
		return;
	}
	hold(page, pressed);
	try {
		await action();
	}
	finally {
		release(page);
	}
}

// The head of a table. A column of buttons has no name.
export function head(names, isNumber) {
	return h('thead', {}, h('tr', {}, names.map((name, i) => name ? h('th', {scope: 'col', class: isNumber && isNumber(i) ? 'num' : ''}, name) : h('td', {}))));
}

export function empty(title, text, ...more) {
	return h('div', {class: 'empty'}, h('strong', {}, title), h('p', {}, text), more);
}

export function loading() {
	return h('div', {class: 'skeleton', role: 'status', 'aria-label': 'Loading'}, h('i', {}), h('i', {}), h('i', {}), h('i', {}));
}

export function failure(error, again) {
	return h('div', {class: 'empty bad', role: 'alert'}, h('strong', {}, 'That did not work'), h('p', {}, error.message), button('Try again', again));
}

export function heading(title, ...rest) {
	return h('header', {class: 'page-head'}, h('h1', {tabindex: '-1'}, title), ...rest);
}

// Lets a page read no more often than it has to, whatever the stream sends.
export function seldom(millis, load) {
	let last = Date.now();
	return () => {
		if (Date.now() - last >= millis) {
			last = Date.now();
			load();
			return true;
		}
		return false;
	};
}

export function toast(text, bad) {
	const note = h('div', {class: bad ? 'toast bad' : 'toast'}, text);
	document.getElementById('toasts').append(note);
	setTimeout(() => note.remove(), bad ? 9000 : 5000);
}

// Stays until what is under way has ended, whichever page is shown by then.
function toastWhile(text) {
	const note = h('div', {class: 'toast'}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), text);
	document.getElementById('toasts').append(note);
	return note;
}

export function confirm({title, text, label, danger}) {
	return new Promise((resolve) => {
		const dialog = h('dialog', {class: 'dialog', 'aria-labelledby': 'dialog-title'});
		const close = (answer) => {
			dialog.close();
			dialog.remove();
			resolve(answer);
		};
		dialog.addEventListener('cancel', () => close(false));
		dialog.append(h('h2', {id: 'dialog-title'}, title), h('p', {}, text),
			h('div', {class: 'row end'}, button('Keep things as they are', () => close(false)),
				button(label, () => close(true), {class: danger ? 'danger' : 'primary', id: 'dialog-yes'})));
		document.body.append(dialog);
		dialog.showModal();
	});
}

const DOING = {retry: 'Retrying', delete: 'Deleting', cancel: 'Cancelling', pause: 'Pausing', resume: 'Resuming', limit: 'Changing the limit of', trigger: 'Running'};
const PAST = {retry: 'retried', delete: 'deleted', cancel: 'cancelled'};
const VERB = {retry: 'Retry', delete: 'Delete', cancel: 'Cancel'};

// Asks for a confirmation, acts and shows the result.
export async function actOnJobs(name, wish, count, what, open, more) {
	const jobs = (open ? 'all that match, at least ' : '') + plural(count, what || 'job');
	const sure = await confirm({
		title: `${VERB[name]} ${jobs}?`,
		text: {
			retry: 'They run again as soon as there is room, and get all their attempts again.',
			delete: 'They are gone for good, with their payloads and errors.',
			cancel: 'Waiting jobs end at once. Running jobs are asked to stop.'
		}[name] + (more ? ` ${more}` : ''),
		label: `${VERB[name]} ${jobs}`,
		danger: name !== 'retry'
	});
	if (!sure) {
		return false;
	}
	return perform(name, wish, (done) => `${plural(done.count, 'job')} ${PAST[name]}`
		+ (done.of > done.count ? `, ${plural(done.of - done.count, 'job')} left as ${done.of - done.count === 1 ? 'it was' : 'they were'}` : ''), jobs);
}

// What was sent and is not answered, also by pages that were left.
const underWay = new Set();

// Acts, and says meanwhile what is done and afterwards what came of it.
export async function perform(name, wish, describe, target) {
	const sent = JSON.stringify([name, wish]);
	if (underWay.has(sent)) {
		toast('This is under way already.');
		return false;
	}
	underWay.add(sent);
	const note = toastWhile(`${DOING[name]} ${target || wish.queue || wish.schedule} …`);
	try {
		const done = await act(name, wish);
		toast(describe(done));
		return true;
	}
	catch (error) {
		toast(error.message, true);
		return false;
	}
	finally {
		underWay.delete(sent);
		note.remove();
	}
}

export function mayOperate() {
	return config.operate;
}

export function copyButton(text, what) {
	return button('Copy', async (event) => {
		const target = event.currentTarget;
		if (!navigator.clipboard) {
			toast('Browsers copy for pages sent by HTTPS only.', true);
			return;
		}
		await navigator.clipboard.writeText(text);
		target.textContent = 'Copied';
		setTimeout(() => target.textContent = 'Copy', 1500);
	}, {class: 'small', 'aria-label': `Copy the ${what}`});
}

export function pauseButton(queue, refresh) {
	if (!config.operate) {
		return null;
	}
	const name = queue.paused ? 'resume' : 'pause';
	return button(queue.paused ? 'Resume' : 'Pause', async () => {
		const sure = queue.paused || await confirm({title: `Pause ${queue.name}?`,
			text: 'None of its jobs start, on any worker. Running jobs finish, and new ones wait.', label: 'Pause'});
		if (sure && await perform(name, {queue: queue.name}, () => `${queue.name} is ${queue.paused ? 'running again' : 'paused'}`)) {
			refresh();
		}
	}, {class: 'small', 'data-act': name, 'aria-label': `${queue.paused ? 'Resume' : 'Pause'} ${queue.name}`});
}

function askLimit(queue) {
	return new Promise((resolve) => {
		const dialog = h('dialog', {class: 'dialog', 'aria-labelledby': 'dialog-title'});
		const close = (answer) => {
			dialog.close();
			dialog.remove();
			resolve(answer);
		};
		const field = h('input', {type: 'number', step: 1, id: 'limit', inputmode: 'numeric', 'aria-describedby': 'limit-now limit-error', value: queue.limit < 1 ? '' : String(queue.limit)});
		const error = h('p', {class: 'field-error', id: 'limit-error', role: 'alert'});
		dialog.addEventListener('cancel', () => close(undefined));
		dialog.append(h('form', {novalidate: true, onsubmit: (event) => {
			event.preventDefault();
			const limit = Number(field.value);
			const problem = limitProblem(field.value, limit);
			error.textContent = problem || '';
			if (problem) {
				field.setAttribute('aria-invalid', 'true');
				field.focus();
				return;
			}
			close(limit);
		}}, h('h2', {id: 'dialog-title'}, `How many jobs of ${queue.name} may run at once?`),
		h('p', {id: 'limit-now'}, limitNow(queue)),
		h('p', {}, 'A limit set here applies to all workers together, in place of their own limits, at once and until it is removed. Running jobs are not stopped.'),
		h('div', {class: 'field'}, h('label', {for: 'limit'}, 'Limit'), field, error),
		h('div', {class: 'row end'}, button('Cancel', () => close(undefined)),
			queue.limit < 0 ? null : button('Remove the limit', () => close(null), {id: 'dialog-remove'}),
			h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, 'Set the limit'))));
		document.body.append(dialog);
		dialog.showModal();
		field.select();
	});
}

function limitNow(queue) {
	if (queue.limit > 0) {
		return `The limit is ${exact(queue.limit)}, set by an operator.`;
	}
	return queue.limitAmongWorkers > 0 ? `The limit is ${exact(queue.limitAmongWorkers)}, set by the workers.` : 'There is no limit now.';
}

function limitProblem(text, limit) {
	if (limit === 0 && text !== '') {
		return 'A limit is at least 1. To start no jobs, pause the queue.';
	}
	return Number.isInteger(limit) && limit > 0 && limit <= 2147483647 ? null : 'Enter a whole number from 1 to 2,147,483,647.';
}

export function limitButton(queue, refresh) {
	if (!config.operate) {
		return null;
	}
	return button('Limit', async () => {
		const limit = await askLimit(queue);
		if (limit !== undefined && await perform('limit', {queue: queue.name, limit}, () => limit === null ? `${queue.name} has the limit of its workers` : `${queue.name} runs at most ${limit} at once`)) {
			refresh();
		}
	}, {class: 'small', 'data-act': 'limit', 'aria-label': `Set the running limit of ${queue.name}`});
}

// A part of a bar, however small, but nothing of nothing.
export function portion(name, count, most) {
	return count > 0 ? h('i', {class: name, style: {width: `${count * 100 / most}%`}}) : null;
}

export function progress(run) {
	if (!run || !run.total) {
		return null;
	}
	const share = Math.min(100, Math.round(run.done * 100 / run.total));
	return h('div', {class: 'progress'}, h('div', {class: 'bar', role: 'progressbar', 'aria-valuenow': share, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': 'Progress'},
		h('i', {style: {width: `${share}%`}})), h('span', {}, `${share} %`));
}
