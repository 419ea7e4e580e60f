// Pieces that several pages use.

import {h, hold, release, svg} from './dom.js';
import {act, config} from './api.js';
import {ago, atLeast, clock, exact, plural, usesUtc, when} from './format.js';

const STATES = {READY: 'Waiting', SCHEDULED: 'Scheduled', RETRYING: 'Retrying', PARKED: 'Parked', RUNNING: 'Running', SUCCEEDED: 'Succeeded', DEAD: 'Dead', CANCELLED: 'Cancelled', ENDED: 'Ended', RESOLVED: 'Resolved', BACK: 'Came back'};

export function pill(state, extra) {
	return h('span', {class: `pill ${state.toLowerCase()}`}, STATES[state] || state, extra);
}

// A ready job is called waiting, so one that waits for a signal or another job is called parked.
export function stateOf({state}) {
	return state === 'WAITING' ? 'PARKED' : state;
}

// What a parked job waits for: a signal about its subject, or another job.
export function waitsFor({waitsFor: wait}) {
	const [, name, subject] = /^signal:([^/]*)\/(.*)$/.exec(wait.thing) || [];
	return name ? ['the signal ', h('b', {}, name), ' about ', h('b', {}, subject)] : ['job ', h('a', {href: link(['job'], {id: wait.thing})}, wait.thing)];
}

export function waitsForSignal({waitsFor: wait}) {
	return Boolean(wait) && wait.thing.startsWith('signal:');
}

// Until when a parked job waits. For another job it waits as long as that takes.
export function waitsUntil(job) {
	return waitsForSignal(job) ? job.dueAt : null;
}

export function statePill(job) {
	return pill(job.state === 'SCHEDULED' && job.attempt > 1 ? 'RETRYING' : stateOf(job));
}

export function link(parts, params) {
	const query = new URLSearchParams(Object.entries(params || {}).filter(([, value]) => value)).toString();
	return '#/' + parts.map(encodeURIComponent).join('/') + (query ? '?' + query : '');
}

// How many attempts have begun, and the maximum if it is known here.
export function attempts({state, attempt, maxAttempts}) {
	const made = attempt - ['READY', 'SCHEDULED', 'WAITING'].includes(state);
	return made < 1 ? '–' : maxAttempts >= made ? `${exact(made)} of ${exact(maxAttempts)}` : exact(made);
}

export function nameOf({id, info}) {
	return info ? `${info.host}, process ${info.pid}` : id;
}

// The number of threads of some workers, and how many of these are busy.
export function threadsOf(workers) {
	const sum = (list, of) => list.reduce((all, it) => all + of(it), 0);
	return {busy: sum(workers, (worker) => worker.running), threads: sum(workers.flatMap((worker) => worker.info?.pools || []), (pool) => pool.concurrency)};
}

// A worker by its name on the Workers page, or by the beginning of its id once it has left.
export function workerLink({overview}, id) {
	const worker = overview?.workers.find((it) => it.id === id);
	return h('a', {class: 'worker', href: '#/workers', title: id}, worker?.info ? nameOf(worker) : `worker ${id.slice(0, 8)}`);
}

// A line has room for the message, not for the package of its exception.
function said(job) {
	const error = (job.error || '').replace(/^([a-z]\w*\.)+(?=[A-Z])/, '');
	return job.run?.progress?.checkIn || (error && ['SUCCEEDED', 'CANCELLED'].includes(job.state) ? `Failed before: ${error}` : error);
}

// Jobs, one on each line. A column that is empty in all rows is left out.
export function jobTable(list, {label, time, titled, select, named, stated, stepped}) {
	const any = (test) => list.some(test);
	const reports = any((job) => job.run?.progress?.checkIn);
	const errors = any((job) => job.error);
	const id = (job, props) => h('a', {...props, href: link(['job'], {id: job.id}), title: job.id}, named ? job.name : job.id);
	const columns = [
		select && [select.all, (job) => h('td', {class: 'check'}, select.one(job))],
		['Name', (job) => h('td', {class: 'name', title: job.name}, id(job, {class: named ? null : 'id'}), urgency(job), tags(job)), !named && 'ID'],
		named && ['ID', (job) => h('td', {class: 'id'}, job.id)],
		stated && ['State', (job) => h('td', {'data-label': 'State'}, statePill(job))],
		any((job) => job.payloadPreview) && ['Payload', (job) => h('td', {'data-label': 'Payload', class: 'payload-cell'}, h('code', {class: 'args'}, job.payloadPreview))],
		any((job) => attempts(job) !== '–') && ['Attempts', (job) => h('td', {'data-label': 'Attempts', class: attempts(job) === '–' ? 'num none' : 'num nowrap'}, attempts(job))],
		any((job) => job.waitsFor) && ['Waits for', (job) => h('td', {'data-label': 'Waits for', class: 'waits', title: job.waitsFor?.thing}, job.waitsFor ? h('span', {}, waitsFor(job)) : null)],
		[titled || label, (job) => h('td', {'data-label': label, class: 'nowrap'}, when(time(job)))],
		(errors || reports) && [errors && reports ? 'Error or check-in' : errors ? 'Error' : 'Check-in', (job) => {
			const checkIn = job.run?.progress?.checkIn;
			return h('td', {'data-label': checkIn ? 'Check-in' : 'Error', class: checkIn ? 'report' : job.state === 'DEAD' ? 'error' : 'error calm', title: checkIn || job.error}, said(job));
		}],
		stepped && any((job) => job.run?.progress?.total) && ['Progress', (job) => h('td', {'data-label': 'Progress'}, progress(job) || '–')]
	].filter((column) => column);
	return h('table', {class: errors || reports ? 'cards jobs' : 'cards jobs roomy'},
		h('thead', {}, h('tr', {}, columns.map(([name, , other]) => name instanceof Node ? name : h('th', {scope: 'col', class: name === 'Attempts' ? 'num' : ''}, other || name)))),
		h('tbody', {}, list.map((job) => h('tr', {'data-key': job.id, class: select && select.has(job) ? 'selected' : ''}, columns.map(([, cell]) => cell(job))))));
}

// A link to the trace of a job in the application's tracing system.
export function traceLink({trace}, text) {
	return trace && config.trace ? h('a', {href: config.trace.replaceAll('{traceId}', trace), target: '_blank', rel: 'noreferrer'}, text || trace) : null;
}

export function crumbs(parent, href, name) {
	return h('nav', {class: 'crumbs', 'aria-label': 'Breadcrumb', 'data-key': 'crumbs'}, h('a', {href}, parent), h('span', {'aria-hidden': 'true'}, ' / '), h('span', {'aria-current': 'page'}, name));
}

// An error with the parts masked that differ from job to job.
export function masked(error) {
	return error ? error.split(/<(number|id|url|address)>/).map((part, i) => i % 2 ? h('span', {class: 'mask'}, part) : part) : 'No error';
}

// The times of death in a group. The bars of all groups cover the same time.
export function deaths({bars}, {since, until}) {
	const most = Math.max(1, ...bars);
	const day = Date.parse(until) - Date.parse(since) >= 86400000;
	const text = `Deaths from ${clock(Date.parse(since), day)} to ${clock(Date.parse(until), day)}, at most ${plural(most, 'job')} at once`;
	return svg('svg', {class: 'deaths', viewBox: `0 0 ${bars.length * 5} 28`, preserveAspectRatio: 'none', role: 'img', 'aria-label': text}, svg('title', {}, text),
		svg('rect', {class: 'base', x: 0, y: 27, width: bars.length * 5, height: 1}),
		bars.map((count, i) => count ? svg('rect', {x: i * 5, y: 26 - count * 24 / most - 2, width: 4, height: count * 24 / most + 2}) : null));
}

export function queuesOf(group, most) {
	return h('span', {class: 'chips'}, Object.entries(group.queues).slice(0, most).map(([name, count]) => h('a', {class: 'chip', href: link(['dead', name])}, name, group.queueCount > 1 ? h('small', {}, exact(count)) : null)),
		group.queueCount > most ? h('span', {class: 'muted'}, `and ${exact(group.queueCount - most)} more`) : null);
}

// The urgency of a job, if it is not normal, as a link to all jobs that have it.
export function urgency(job) {
	const name = job.urgency.toLowerCase();
	return name === 'normal' ? null : h('span', {class: 'tags'}, h('a', {class: 'tag', href: link(['jobs'], {urgency: name})}, name));
}

// The tags of a job, each a link to all jobs that have it.
export function tags(job) {
	return job.tags.length ? h('span', {class: 'tags'}, job.tags.map((tag) => h('a', {class: 'tag', href: link(['jobs'], {tag})}, tag))) : null;
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

function failure(error, again) {
	return h('div', {class: 'empty bad', role: 'alert'}, h('strong', {}, 'Something went wrong'), h('p', {}, error.message), button('Try again', again));
}

export function heading(title, ...rest) {
	return h('header', {class: 'page-head'}, h('h1', {tabindex: '-1'}, title), ...rest);
}

const narrow = matchMedia('(max-width: 959px)');

// A list of jobs that is read a page at a time. Each job is a card on a narrow screen.
export function jobList(ask, render) {
	const size = narrow.matches ? 20 : 50;
	const observer = new IntersectionObserver((entries) => {
		if (narrow.matches && entries.some((entry) => entry.isIntersecting)) {
			entries[0].target.click();
		}
	}, {rootMargin: '300px'});
	const list = {
		jobs: null,
		pages: 0,
		async first() {
			({jobs: list.jobs, next: list.next, count: list.count} = await ask({limit: size}));
			list.pages = 1;
		},
		// The next page is appended to the shown ones.
		async more() {
			const shown = list.jobs;
			try {
				const {jobs, next} = await ask({limit: size, after: list.next});
				if (list.jobs === shown) {
					const there = new Set(shown.map((job) => job.id));
					list.jobs = [...shown, ...jobs.filter((job) => !there.has(job.id))];
					list.next = next;
					list.pages++;
				}
			}
			catch (problem) {
				toast(problem.message, true);
			}
			render();
		},
		// A search reads many jobs and may stop before it has found a full page.
		isFull: () => list.jobs.length >= list.pages * size,
		// Presses the button for more on a narrow screen once it is scrolled into sight.
		watch(root) {
			observer.disconnect();
			const more = list.jobs && list.isFull() && root.querySelector('[data-act=more]');
			if (more) {
				observer.observe(more);
			}
		}
	};
	return list;
}

// Returns a function that reads and draws a page. If it fails, the page stays as it is.
export function loads(reads, render) {
	const load = async (...args) => {
		try {
			await reads(...args);
			load.error = null;
		}
		catch (problem) {
			load.error = problem;
		}
		render();
	};
	return load;
}

// Shows, until a page has data, that it is loading or why that failed.
export function unread(load) {
	return load.error ? failure(load.error, () => load()) : loading();
}

// Keeps a page from reading more often than necessary, however often it is updated.
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

// Stays until the action under way has ended, whichever page is shown by then.
function toastWhile(text) {
	const note = h('div', {class: 'toast'}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), text);
	document.getElementById('toasts').append(note);
	return note;
}

// Opens a dialog, and returns the result that its content closes it with.
export function dialog(title, content, cls = '') {
	return new Promise((resolve) => {
		const root = h('dialog', {class: `dialog ${cls}`, 'aria-labelledby': 'dialog-title'});
		const close = (answer) => {
			root.close();
			root.remove();
			resolve(answer);
		};
		root.addEventListener('cancel', () => close());
		root.append(h('h2', {id: 'dialog-title'}, title), ...content(close));
		document.body.append(root);
		root.showModal();
	});
}

export function confirm({title, text, label, danger, dismiss}) {
	return dialog(title, (close) => [h('p', {}, text), h('div', {class: 'row end'}, button(dismiss || 'Cancel', () => close()),
		button(label, () => close(true), {class: danger ? 'danger' : 'primary', id: 'dialog-yes'}))]);
}

const DOING = {stop: 'Stopping', retry: 'Retrying', delete: 'Deleting', cancel: 'Cancelling', reschedule: 'Rescheduling', move: 'Moving', pause: 'Pausing', resume: 'Resuming', drop: 'Dropping', put: 'Setting', limit: 'Changing the limit of', weight: 'Changing the weight of', attempts: 'Changing the attempts of', rate: 'Changing the rate of', 'lanes-rate': 'Changing the rate of lanes of', concurrency: 'Changing the concurrency of', quiet: 'Quieting', trigger: 'Enqueuing', enqueue: 'Enqueuing', resolve: 'Resolving', reopen: 'Reopening', 'forget-step': 'Forgetting', 'send-signal': 'Sending'};
// The action in the words of the pages.
export const DONE = {pause: 'paused', resume: 'resumed', drop: 'dropped', put: 'set', limit: 'limited', weight: 'set the weight of', attempts: 'set the attempts of', rate: 'set the rate of', 'lanes-rate': 'set the rate of lanes of', concurrency: 'set the concurrency of', quiet: 'quieted', retry: 'retried', delete: 'deleted', cancel: 'cancelled', trigger: 'run', enqueue: 'enqueued', resolve: 'resolved', reopen: 'reopened', 'forget-step': 'forgot', 'send-signal': 'sent', start: 'started', stop: 'stopped', reschedule: 'rescheduled', move: 'moved'};
export const VERB = {retry: 'Retry', delete: 'Delete', cancel: 'Cancel', reschedule: 'Reschedule', move: 'Move'};
// The button that asks for an action, if more than a yes is asked for.
export const ASK = {...VERB, reschedule: 'Reschedule…', move: 'Move to a lane…'};

const TARGET = /^(queue|lane|pool|worker|schedule|cause|step|signal|bulk action|a copy of job) ("(?:[^"\\]|\\.)*"|[\w.:/@#+-]+)(?: of ([\w.-]+))?( to none)?(.*)$/;

// The action, the kind and name of its target, the queue of a lane or the job of a step, and the rest of a note. A free text has none
// of these.
export function deed({action, target}) {
	const [, kind, name, queue, none, rest] = TARGET.exec(action && target) || [];
	return {done: none ? `removed the ${nameOfNumber(action)} of` : DONE[action] || action, kind, name: name && plain(name), queue, rest};
}

// The operator who set something, and the time.
export function setBy({by, at}) {
	return `${by || 'an operator'} ${ago(at)}`;
}

// A name without its quotes.
export function plain(text) {
	return text.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1');
}

// The field that an operator fills in for an action.
const FIELDS = {
	reschedule: {name: 'dueAt', props: {type: 'datetime-local', max: '9999-12-31T23:59'}, label: () => `New time (${usesUtc() ? 'UTC' : 'local time'})`, value: (text) => new Date(usesUtc() ? `${text}Z` : text).toISOString()},
	move: {name: 'toLane', props: {type: 'text', required: false}, label: () => 'Lane (empty for none)', value: (text) => text.trim()}
};

// Asks for the field of an action, and stays open while the server refuses what was entered.
function askField({title, text, label}, {name, props, label: named, value}, send) {
	const error = h('p', {class: 'field-error', id: `${name}-error`, role: 'alert'});
	const field = h('input', {id: name, required: true, ...props, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': `${name}-text ${name}-error`});
	return dialog(title, (close) => [h('form', {onsubmit: async (event) => {
		event.preventDefault();
		error.textContent = '';
		if (await send({[name]: value(field.value)}, (problem) => error.textContent = problem)) {
			close(true);
		}
		else {
			field.setAttribute('aria-invalid', 'true');
			field.focus();
		}
	}}, h('p', {id: `${name}-text`}, text), h('div', {class: 'fields'}, h('label', {for: name}, named()), field, error),
	h('div', {class: 'row end'}, button('Cancel', () => close()), h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, label)))]);
}

// Asks for a confirmation or a field, acts and shows the result.
export async function actOnJobs(name, wish, count, what, open, more) {
	const one = count === 1 && !open;
	const jobs = open ? `all matching jobs, ${atLeast(count, true, 'at least ')}` : plural(count, what || 'job');
	const question = {
		title: `${VERB[name]} ${jobs}?`,
		text: {
			retry: one ? 'It runs as soon as a thread is free, with all its attempts again.' : 'They run as soon as threads are free, with all their attempts again.',
			delete: one ? 'Its payload and errors are deleted with it. This cannot be undone.' : 'Their payloads and errors are deleted with them. This cannot be undone.',
			cancel: one ? 'If it is waiting, it is removed. If it is running, it is asked to stop.' : 'Waiting jobs are removed. Running jobs are asked to stop.',
			reschedule: one ? 'It runs at this time, or as soon as a thread is free then.' : 'They run at this time, or as soon as threads are free then.',
			move: one ? 'It waits in this lane of its queue from then on.' : 'They wait in this lane of their queues from then on.'
		}[name] + (more ? ` ${more}` : ''),
		label: open ? `${VERB[name]} all` : `${VERB[name]} ${jobs}`,
		danger: name !== 'retry',
		dismiss: name === 'cancel' ? (one ? 'Keep it' : 'Keep them') : null
	};
	const send = (to, refused) => perform(name, {...wish, ...to}, (done) => done.bulk ? `Started in the background: ${VERB[name].toLowerCase()} about ${plural(done.of, 'job')}` : `${plural(done.count, 'job')} ${DONE[name]}`
		+ (done.of > done.count ? `, ${plural(done.of - done.count, 'job')} unchanged` : ''), open ? 'all matching jobs' : jobs, refused);
	return FIELDS[name] ? askField(question, FIELDS[name], send) : await confirm(question) && send();
}

// Actions that are not answered yet, including those of pages that were left.
const underWay = new Set();

// Acts, and shows the action meanwhile and its result afterwards, or why it was refused.
export async function perform(name, wish, describe, target, refused = (problem) => toast(problem, true)) {
	const sent = JSON.stringify([name, wish]);
	if (underWay.has(sent)) {
		toast('This is already in progress.');
		return false;
	}
	underWay.add(sent);
	const note = toastWhile(`${DOING[name]} ${target || wish.queue || wish.pool || wish.schedule} …`);
	try {
		const done = await act(name, wish);
		toast(describe(done));
		return true;
	}
	catch (error) {
		refused(error.message);
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
			toast('Copying needs HTTPS.', true);
			return;
		}
		await navigator.clipboard.writeText(text);
		target.textContent = 'Copied';
		setTimeout(() => target.textContent = 'Copy', 1500);
	}, {class: 'small', 'aria-label': `Copy the ${what}`});
}

// A lane is named with its queue.
function wishFor(of, {name, lane, queue}) {
	return lane ? {queue, lane} : {[of]: name};
}

// Pauses a queue or a lane, or resumes it.
export async function pauseQueue(queue, refresh) {
	const sure = queue.paused || await confirm({title: `Pause ${queue.name}?`,
		text: 'Its jobs do not start until it is resumed. Running jobs finish, and new jobs wait.', label: 'Pause'});
	if (sure && await perform(queue.paused ? 'resume' : 'pause', wishFor('queue', queue), () => `${queue.name} ${queue.paused ? 'resumed' : 'paused'}`, queue.name)) {
		refresh();
	}
}

export function pauseButton(queue, refresh) {
	if (!config.operate) {
		return null;
	}
	const name = queue.paused ? 'resume' : 'pause';
	return button(queue.paused ? 'Resume' : 'Pause', () => pauseQueue(queue, refresh), {class: 'small', 'data-act': name, 'aria-label': `${queue.paused ? 'Resume' : 'Pause'} ${queue.name}`});
}

// The numbers that an operator sets for a queue or a pool in place of the workers' numbers.
const RATE = /^\d+ *\/ *\d*(ms|s|m|h|d)( +burst +\d+)?$/;
const NUMBERS = {
	limit: {of: 'queue', most: 2147483647, ask: (name) => `How many jobs of ${name} may run at once?`, now: limitNow, value: (queue) => queue.limit < 1 ? null : queue.limit,
		text: 'A limit set here replaces the one set by the workers. It applies to all of them together, at once, until it is removed. Running jobs are not stopped.'},
	weight: {of: 'queue', most: 100000, ask: (name) => `Which weight does ${name} have?`,
		text: 'A weight set here replaces the priority of the handler on all workers, until it is removed. While all queues of a pool have jobs waiting, each gets a share of the threads by its weight.'},
	attempts: {of: 'queue', most: 100000, ask: (name) => `How many attempts do jobs of ${name} have?`,
		text: 'A number set here replaces max-attempts on all workers, until it is removed. A job that has had more attempts dies when it fails next.'},
	rate: {of: 'queue', pattern: RATE, ask: (name) => `How many jobs of ${name} may start in a window?`,
		text: 'A rate set here replaces the one of the handler on all workers, until it is removed. 100/1m lets no more than 100 jobs start in any minute; 100/1m burst 10 also spreads them.'},
	'lanes-rate': {of: 'queue', pattern: RATE, name: 'rate of lanes', setting: 'rateOfLanes', field: 'rate', ask: (name) => `How many jobs of each lane of ${name} may start in a window?`,
		text: 'A rate set here replaces the one of the handler for each lane, on all workers, until it is removed. 5/1s lets no more than 5 jobs of a lane start in any second. Jobs without a lane have only the rate of the queue.'},
	concurrency: {of: 'pool', most: 100000, ask: (name) => `How many jobs does pool ${name} run at once?`,
		text: 'A number set here replaces the concurrency of the pool on each worker, until it is removed. Running jobs are not stopped.'}
};

const LANE_WEIGHT = {of: 'lane', most: 100, ask: (name) => `Which weight does lane ${name} have?`,
	text: 'A weight set here replaces the one of the handler on all workers, until it is removed. While several lanes have jobs waiting, the lane gives as many for each one of a lane without a weight.'};

// What pages call it.
export function nameOfNumber(kind) {
	return NUMBERS[kind]?.name || kind;
}

export function settingOf(kind, {settings}) {
	return settings[NUMBERS[kind].setting || kind];
}

function numbersOf(kind, {lane}) {
	return lane && kind === 'weight' ? LANE_WEIGHT : NUMBERS[kind];
}

function askNumber(kind, target) {
	const set = settingOf(kind, target);
	const name = nameOfNumber(kind);
	const numbers = numbersOf(kind, target);
	const value = numbers.value ? numbers.value(target) : set?.value;
	const field = h('input', {type: numbers.pattern ? 'text' : 'number', step: 1, id: kind, inputmode: numbers.pattern ? 'text' : 'numeric', 'aria-describedby': `${kind}-now ${kind}-error`, value: value ? String(value) : ''});
	const error = h('p', {class: 'field-error', id: `${kind}-error`, role: 'alert'});
	const answer = dialog(numbers.ask(target.name), (close) => [h('form', {novalidate: true, onsubmit: (event) => {
		event.preventDefault();
		const number = numbers.pattern ? field.value.trim() : Number(field.value);
		const problem = numberProblem(kind, target, field.value, number);
		error.textContent = problem || '';
		if (problem) {
			field.setAttribute('aria-invalid', 'true');
			field.focus();
			return;
		}
		close(number);
	}}, h('p', {id: `${kind}-now`}, numbers.now ? numbers.now(target) : numberNow(kind, set)),
	h('p', {}, numbers.text),
	h('div', {class: 'field'}, h('label', {for: kind}, upper(name)), field, error),
	h('div', {class: 'row end'}, button('Cancel', () => close()),
		set ? button(`Remove the ${name}`, () => close(null), {id: 'dialog-remove'}) : null,
		h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, `Set the ${name}`)))]);
	field.select();
	return answer;
}

export function upper(text) {
	return text[0].toUpperCase() + text.slice(1);
}

function limitNow(queue) {
	if (queue.limit > 0) {
		return `The limit is ${exact(queue.limit)}, set by ${setBy(queue.settings.limit)}.`;
	}
	return queue.limitAmongWorkers > 0 ? `The limit is ${exact(queue.limitAmongWorkers)}, set by the workers.` : 'There is no limit.';
}

function numberNow(kind, set) {
	return set ? `Now: ${exact(set.value)}, set by ${setBy(set)}. ${instead(set)}` : `The ${nameOfNumber(kind)} is the one of the workers.`;
}

// The application's own setting, if an operator has set something else.
export function instead({configured}) {
	return configured === undefined ? '' : `The application sets ${exact(configured)}.`;
}

function numberProblem(kind, target, text, number) {
	const {of, most, pattern} = numbersOf(kind, target);
	if (pattern) {
		return pattern.test(number) ? null : 'Enter a rate such as 100/1m, 10/s or 100/1m burst 10.';
	}
	if (number === 0 && text !== '') {
		return `The ${kind} must be at least 1. To keep jobs from starting, pause the ${target.lane ? 'lane' : of}.`;
	}
	return Number.isInteger(number) && number > 0 && number <= most ? null : `Enter a whole number from 1 to ${exact(most)}.`;
}

export function numberButton(kind, target, refresh) {
	if (!config.operate) {
		return null;
	}
	const {of, field} = NUMBERS[kind];
	const name = nameOfNumber(kind);
	return button(upper(name), async () => {
		const number = await askNumber(kind, target);
		if (number !== undefined && await perform(kind, {...wishFor(of, target), [field || kind]: number}, () => `${upper(name)} of ${target.name} ${number === null ? 'removed' : `set to ${exact(number)}`}`, target.name)) {
			refresh();
		}
	}, {class: 'small', 'data-act': kind, 'aria-label': `Set the ${kind === 'limit' ? 'running limit' : name} of ${target.name}`});
}

// Keeps jobs from starting in a pool or on a worker, or starts them again.
export function stopButton(of, {id, name, stopped, quiet}, refresh) {
	if (!config.operate) {
		return null;
	}
	const act = stopped ? 'resume' : quiet ? 'quiet' : 'pause';
	return button(upper(act), async () => {
		const sure = stopped || await confirm({title: `${upper(act)} ${name}?`, text: `It starts no jobs until it is resumed. Running jobs finish.`, label: upper(act)});
		if (sure && await perform(act, {[of]: id}, () => `${name} ${DONE[act]}`, name)) {
			refresh();
		}
	}, {class: 'small', 'data-act': act, 'aria-label': `${upper(act)} ${name}`});
}

// A part of a bar: visible however small, but nothing for zero.
export function portion(name, count, most) {
	return count > 0 ? h('i', {class: name, style: {width: `${count * 100 / most}%`}}) : null;
}

// A bar that shows a share in percent.
export function shareBar(share, label) {
	return h('div', {class: 'progress'}, h('div', {class: 'bar', role: 'progressbar', 'aria-valuenow': share, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-label': label},
		h('i', {style: {width: `${share}%`}})), h('span', {}, `${share}%`));
}

export function progress(job) {
	const {done, total} = job.run?.progress || {};
	if (!total) {
		return null;
	}
	return shareBar(Math.min(100, Math.round(done * 100 / total)), 'Progress');
}
