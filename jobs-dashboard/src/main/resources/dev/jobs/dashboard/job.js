import {h, show} from './dom.js';
import {config, read} from './api.js';
import {ago, exact, moment, plural, pretty, span, when} from './format.js';
import {actOnJobs, attempts as tried, button, copyButton, empty, failure, heading, link, loading, mayOperate, progress, seldom, statePill, tags} from './parts.js';

export const title = 'Job';

const REASONS = {EXHAUSTED: 'It used up its attempts.', DISCARDED: 'Its handler gave it up.', UNREADABLE: 'Its payload could not be read.', NO_HANDLER: 'No worker had a handler for it in time.', CRASH_LOOP: 'It crashed the processes that ran it.'};

export default function job(root, {params, navigate, entitle}) {
	let found = null;
	let error = null;

	async function load() {
		try {
			found = await read('job', {id: params.id});
			entitle(`${found.name} · ${found.state.toLowerCase()}`);
			error = null;
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	async function perform(name) {
		if (await actOnJobs(name, {ids: [found.id]}, 1)) {
			name === 'delete' ? navigate(link(['jobs'], {queue: found.name})) : await load();
		}
	}

	function acts() {
		if (!mayOperate()) {
			return null;
		}
		const names = {READY: ['cancel', 'delete'], SCHEDULED: ['retry', 'cancel', 'delete'], RUNNING: ['cancel'], DEAD: ['retry', 'delete']}[found.state] || ['delete'];
		const label = {retry: found.state === 'SCHEDULED' ? 'Run now' : 'Retry', cancel: 'Cancel', delete: 'Delete'};
		return h('div', {class: 'row end'}, names.map((name) => button(label[name], () => perform(name), {'data-act': name, class: name === 'retry' ? 'primary' : 'danger'})));
	}

	function render() {
		if (error && error.status === 404) {
			show(root, heading('Job'), empty('There is no such job', 'It has succeeded, or it was deleted or cancelled, and is not kept as history.'));
			return;
		}
		if (error && !found) {
			show(root, heading('Job'), failure(error, load));
			return;
		}
		if (!found) {
			show(root, heading('Job'), loading());
			return;
		}
		show(root, heading(found.name, statePill(found), acts()), h('p', {class: 'id'}, found.id), why(), running(), h('div', {class: 'columns'},
			h('div', {}, payload(), attempts()), h('div', {}, facts(), timeline(), headers())));
	}

	function why() {
		const text = found.why || (found.reason ? REASONS[found.reason] : null);
		return text ? h('p', {class: `why ${found.state.toLowerCase()}`}, found.state === 'READY' || found.state === 'SCHEDULED' ? h('strong', {}, 'Why is it not running? ') : null, text) : null;
	}

	function running() {
		const run = found.run;
		return run ? h('section', {class: 'card'}, h('h2', {}, 'Running'), progress(run),
			run.checkIn ? h('p', {class: 'checkin'}, run.checkIn) : h('p', {class: 'muted'}, 'It has not reported anything yet.'),
			h('p', {class: 'muted'}, 'Started ', when(run.startedAt), run.reportedAt ? [', reported ', when(run.reportedAt)] : null, run.cancelRequested ? ', cancel requested' : ''),
			log(found.log)) : null;
	}

	function log(text, label) {
		return text ? h('div', {class: 'log'}, h('div', {class: 'row'}, h('h3', {}, 'Log'), h('span', {class: 'row end'}, copyButton(text, 'log'))), h('pre', {tabindex: '0', role: 'group', 'aria-label': label || 'Log'}, text.split('\n').map((line) =>
			h('span', {class: / ERROR /.test(line.slice(0, 34)) ? 'bad' : / WARN /.test(line.slice(0, 34)) ? 'warn' : ''}, `${line}\n`)))) : null;
	}

	function facts() {
		const rows = [['Queue', h('a', {href: link(['queues', found.name])}, found.name)], [found.state === 'DEAD' ? 'Attempts' : found.state === 'SCHEDULED' && found.retrying ? 'Next attempt' : 'Attempt', tried(found)], ['Enqueued', moment(found.createdAt)],
			[found.state === 'SCHEDULED' && found.retrying ? 'Retry at' : 'Due', h('span', {}, moment(found.dueAt), ' ', h('small', {class: 'nowrap'}, ago(found.dueAt)))]];
		if (found.diedAt) {
			rows.push(['Died', moment(found.diedAt)]);
		}
		if (found.run) {
			rows.push(['Worker', h('a', {href: '#/workers'}, found.run.worker)], ['Token', found.run.token]);
		}
		if (found.postponements) {
			rows.push(['Postponed', plural(found.postponements, 'time')]);
		}
		if (found.abandonments) {
			rows.push(['Abandoned', plural(found.abandonments, 'time')]);
		}
		if (found.tags) {
			rows.push(['Tags', tags(found)]);
		}
		rows.push(['Payload', plural(found.size, 'byte')]);
		return h('section', {class: 'card'}, h('h2', {}, 'Facts'), h('dl', {class: 'facts'}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
	}

	function payload() {
		if (!config.payloads) {
			return h('section', {class: 'card'}, h('h2', {}, 'Payload'), h('p', {class: 'muted'}, 'You may not see payloads.'));
		}
		const text = found.payload !== undefined ? found.payload : found.payloadBase64;
		return h('section', {class: 'card'}, h('div', {class: 'row'}, h('h2', {}, 'Payload'), h('span', {class: 'row end'}, text ? copyButton(text, 'payload') : null)),
			text ? h('pre', {class: 'payload', tabindex: '0', role: 'group', 'aria-label': 'Payload'}, found.payload !== undefined ? pretty(text) : text) : h('p', {class: 'muted'}, 'It has none.'),
			found.payloadBase64 ? h('p', {class: 'muted'}, 'These bytes are not text, so they are shown in Base64.') : null);
	}

	function attempts() {
		const list = [...found.attempts].reverse();
		return h('section', {class: 'card'}, h('h2', {}, 'Failed attempts'), list.length === 0 ? h('p', {class: 'muted'}, 'None.') : list.map((attempt, i) =>
			h('details', {class: 'attempt', 'data-key': `${attempt.number} ${attempt.endedAt}`, open: i === 0}, h('summary', {}, h('b', {}, `Attempt ${attempt.number}`), h('span', {class: 'error'}, attempt.error), when(attempt.endedAt)),
				attempt.stack ? h('div', {class: 'stack'}, h('div', {class: 'row'}, h('h3', {}, 'Stack trace'), h('span', {class: 'row end'}, copyButton(attempt.stack, 'stack trace'))), h('pre', {tabindex: '0', role: 'group', 'aria-label': `Stack trace of attempt ${attempt.number}`}, attempt.stack)) : h('p', {class: 'muted'}, 'It has no stack trace.'), log(attempt.log, `Log of attempt ${attempt.number}`))));
	}

	function timeline() {
		const events = [['Enqueued', found.createdAt, '']];
		found.attempts.forEach((attempt) => events.push([`Attempt ${attempt.number} failed`, attempt.endedAt, 'bad']));
		if (found.diedAt) {
			events.push(['Died', found.diedAt, 'bad']);
		}
		else if (found.run) {
			events.push([`Attempt ${found.attempt} started`, found.run.startedAt, 'good']);
		}
		else if (found.state === 'SCHEDULED' || found.state === 'READY') {
			events.push([found.retrying ? `Attempt ${found.attempt} due` : 'Due', found.dueAt, 'next']);
		}
		else {
			events.push([found.state === 'SUCCEEDED' ? 'Succeeded' : 'Cancelled', null, found.state === 'SUCCEEDED' ? 'good' : '']);
		}
		return h('section', {class: 'card'}, h('h2', {}, 'Timeline'), h('ol', {class: 'timeline'}, events.map(([text, at, cls], i) =>
			h('li', {class: cls}, h('span', {}, text), at ? moment(at) : null, at && i > 0 && at !== events[i - 1][1] ? h('small', {}, `after ${span(Date.parse(at) - Date.parse(events[i - 1][1]))}`) : null))));
	}

	function headers() {
		const names = Object.entries(found.headers || {});
		return names.length ? h('section', {class: 'card'}, h('h2', {}, 'Headers'), h('dl', {class: 'facts'}, names.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))) : null;
	}

	const again = seldom(5500, load);
	render();
	load();
	return {update() {
		if (found && found.run && !error) {
			load();
		}
		else if (!error || error.status !== 404) {
			again();
		}
	}, refresh: load};
}
