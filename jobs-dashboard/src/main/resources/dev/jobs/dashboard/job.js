import {h, show} from './dom.js';
import {config, read} from './api.js';
import {ago, brief, exact, logLine, moment, now, plural, pretty, span, when} from './format.js';
import {ASK, actOnJobs, attempts as tried, button, confirm, copyButton, dialog, empty, head, heading, link, loads, mayOperate, perform as act, pill, portion, progress, seldom, stateOf, statePill, tags, toast, traceLink, unread, urgency, waitsFor, waitsForSignal, workerLink} from './parts.js';

export const title = 'Job';

const ACTS = {READY: ['reschedule', 'move', 'cancel', 'delete'], SCHEDULED: ['retry', 'reschedule', 'move', 'cancel', 'delete'], WAITING: ['retry', 'cancel', 'delete'], RUNNING: ['cancel'], DEAD: ['retry', 'delete']};

// Stores keep the latest attempts only.
const KEPT = 10;

// A worker measures when a run began, the store when it was due.
const SKEW = 1000;

export default function job(root, {store, args, params, navigate, entitle}) {
	const id = params.id || args[0];
	let found = null;
	let cancelled = false;
	let gone = false;
	let seenAt = 0;

	const load = loads(async () => {
		// A job on the page may end and be removed at any time, which is not an error.
		const latest = await read('job', {id, optional: 'true'});
		gone = !latest.id;
		if (gone && found) {
			// The last state stays.
			cancelled ||= Boolean(found.run?.cancelRequested);
		}
		else if (!gone) {
			found = latest;
			seenAt = now();
		}
		entitle(found ? `${found.name} · ${!gone ? stateOf(found).toLowerCase() : cancelled ? 'cancelled' : 'ended'}` : 'Job not found');
	}, render);

	async function perform(name) {
		if (await actOnJobs(name, {ids: [found.id]}, 1, null, false, name === 'retry' && found.waitsFor ? 'If what it waits for has not happened, it is parked again.' : '')) {
			cancelled ||= name === 'cancel';
			name === 'delete' ? navigate(link(['jobs'], {queue: found.name})) : await load();
		}
	}

	function acts() {
		if (!mayOperate() || gone) {
			return null;
		}
		const label = {...ASK, retry: ['SCHEDULED', 'WAITING'].includes(found.state) ? 'Run now' : ASK.retry};
		return h('div', {class: 'row end'}, config.payloads && found.payload !== undefined ? button('Enqueue again', enqueue, {'data-act': 'enqueue'}) : null,
			!gone && waitsForSignal(found) ? button('Send signal…', send, {'data-act': 'send-signal', class: 'primary'}) : null,
			(ACTS[found.state] || ['delete']).map((name) => button(label[name], () => perform(name), {'data-act': name, class: ['cancel', 'delete'].includes(name) ? 'danger' : ''})));
	}

	async function send() {
		const value = await askValue(found);
		if (value !== undefined && await act('send-signal', {id: found.id, value}, ({count}) => count ? 'Signal sent' : 'This signal was sent before. The first one counts.', 'the signal')) {
			await load();
		}
	}

	async function enqueue() {
		// A page has only the beginning of a large payload.
		const whole = found.cut ? await fetch(file()).then((response) => response.ok ? response.text() : null, () => null) : found.payload;
		if (whole === null) {
			toast('The payload could not be read. Try again.', true);
			return;
		}
		const payload = await askPayload({...found, payload: whole});
		let copy = null;
		if (payload !== undefined && await act('enqueue', {id: found.id, payload}, (done) => {
			copy = done.id;
			return done.count ? `${found.name} enqueued` : `An equal job of ${found.name} is already waiting`;
		}, found.name) && copy) {
			navigate(link(['job'], {id: copy}));
		}
	}

	function render() {
		if (!found) {
			show(root, heading(gone ? 'Job not found' : 'Job'), gone ? h('div', {class: 'card'}, empty(id, 'The job may have succeeded without being kept as history, or it was cancelled or deleted.', h('a', {class: 'button', href: '#/jobs'}, 'View all jobs'))) : unread(load));
			return;
		}
		root.classList.toggle('calm', found.state === 'SUCCEEDED');
		show(root, heading(found.name, gone ? pill(cancelled ? 'CANCELLED' : 'ENDED') : statePill(found), acts()), h('p', {class: 'id'}, found.id, ' ', copyButton(found.id, 'id')), banner(), why(), running(), attempts(), steps(), h('div', {class: 'columns'},
			h('div', {}, payload()), h('div', {}, facts(), headers())));
	}

	function banner() {
		return gone ? h('p', {class: 'why ended', role: 'status'}, h('strong', {}, cancelled ? 'Cancelled. ' : 'Ended. '), cancelled ? 'The job is no longer stored. This is its last known state.'
			: 'The job succeeded and is not kept as history, or it was cancelled or deleted elsewhere. This is its last known state.') : null;
	}

	// An operator first looks for the last error of a dead job.
	function why() {
		const {end, attempts} = found.trail;
		if (!gone && end?.message) {
			return h('p', {class: 'why dead'}, end.reason === 'EXHAUSTED' ? null : h('strong', {}, found.why, ' '), attempts.length ? end.message.split('\n')[0] : end.message);
		}
		if (!gone && found.waitsFor) {
			return h('p', {class: 'why parked'}, 'Waits for ', waitsFor(found), ' since ', brief(found.waitsFor.since), waitsForSignal(found) ? [', until ', brief(found.waitsFor.until)] : null, '.');
		}
		const text = gone ? null : found.why;
		return text ? h('p', {class: `why ${found.state.toLowerCase()}`}, found.state === 'READY' || found.state === 'SCHEDULED' ? h('strong', {}, 'Why is it not running? ') : null, text) : null;
	}

	function running() {
		const {run} = found;
		const {checkIn, at, log: lines} = found.run?.progress || {};
		return run ? h('section', {class: 'card'}, h('h2', {}, gone ? 'Its last report' : 'Running'), progress(found),
			checkIn ? h('p', {class: 'checkin'}, checkIn) : h('p', {class: 'muted'}, 'No check-in yet.'),
			h('p', {class: 'muted'}, 'Started ', when(run.startedAt), at ? [', updated ', when(at)] : null, run.cancelRequested ? ', cancellation requested' : ''),
			log(lines)) : null;
	}

	function log(text, label) {
		return text ? h('div', {class: 'log'}, h('div', {class: 'row'}, h('h3', {}, 'Log'), h('span', {class: 'row end'}, copyButton(text, 'log'))), h('pre', {tabindex: '0', role: 'group', 'aria-label': label || 'Log'}, text.split('\n').map((line) =>
			h('span', {class: / ERROR /.test(line.slice(0, 34)) ? 'bad' : / WARN /.test(line.slice(0, 34)) ? 'warn' : ''}, `${logLine(line)}\n`)))) : null;
	}

	function facts() {
		const {end, postponements, abandonments} = found.trail;
		const lane = found.lane ? [['Lane', h('a', {href: link(['jobs'], {queue: found.name, lane: found.lane})}, found.lane)]] : [];
		const rows = [['Queue', h('a', {href: link(['queues', found.name])}, found.name)], ...lane, ['Attempts', tried(found)], ['Enqueued', moment(found.createdAt)],
			found.waitsFor && !waitsForSignal(found) ? ['Waits since', moment(found.waitsFor.since)] : [found.waitsFor ? 'Waits until' : found.state === 'SCHEDULED' && found.attempt > 1 ? 'Retry at' : 'Due', h('span', {}, moment(found.dueAt), ' ', h('small', {class: 'nowrap'}, ago(found.dueAt)))]];
		for (const [name, at] of [['Expires', found.expiresAt], ['Deadline', found.deadline]]) {
			if (at) {
				rows.push([name, h('span', {}, moment(at), ' ', h('small', {class: 'nowrap'}, ago(at)))]);
			}
		}
		if (end) {
			rows.push(['Died', moment(end.at)]);
		}
		if (found.run) {
			rows.push(['Worker', workerLink(store, found.run.worker)], ['Token', found.run.token]);
		}
		if (postponements) {
			rows.push(['Postponed', plural(postponements, 'time')]);
		}
		if (abandonments) {
			rows.push(['Abandoned', plural(abandonments, 'time')]);
		}
		if (traceLink(found)) {
			rows.push(['Trace', traceLink(found)]);
		}
		if (urgency(found)) {
			rows.push(['Urgency', urgency(found)]);
		}
		if (found.tags.length) {
			rows.push(['Tags', tags(found)]);
		}
		const size = plural(found.payloadSize, 'byte');
		rows.push(['Payload', config.payloads && found.payloadSize ? h('a', {href: file(), download: ''}, `${size}, download`) : size]);
		return h('section', {class: 'card'}, h('h2', {}, 'Details'), h('dl', {class: 'facts'}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
	}

	async function forget({name}) {
		if (await confirm({title: `Forget ${name}?`, text: 'What the job has saved under this name is removed, and its next run does this step again.', label: 'Forget', danger: true})
			&& await act('forget-step', {id: found.id, step: name}, () => `${name} forgotten`, name)) {
			await load();
		}
	}

	// A running job knows its values already.
	function steps() {
		const {steps: saved, stepsInAll: all} = found;
		const forgets = mayOperate() && !gone && !found.run;
		const value = (step) => config.payloads ? [h('td', {'data-label': 'Value'}, step.value ? h('code', {class: 'saved', tabindex: '0', role: 'group', 'aria-label': `Value of ${step.name}`}, step.value, step.cut ? '…' : '') : '–')] : [];
		return saved?.length ? h('section', {class: 'card steps'}, h('h2', {}, 'Steps'), saved.length < all ? h('p', {class: 'part'}, `The latest ${exact(saved.length)} of ${exact(all)}.`) : null,
			h('table', {class: 'cards'}, head(['Name', 'Saved', ...config.payloads ? ['Value'] : [], ...forgets ? [''] : []]), h('tbody', {}, saved.map((step) => h('tr', {'data-key': step.name}, h('td', {class: 'name'}, step.name),
				h('td', {'data-label': 'Saved', class: 'nowrap'}, when(step.savedAt)), value(step),
				forgets ? h('td', {class: 'acts'}, button('Forget', () => forget(step), {class: 'small danger', 'data-act': 'forget-step', 'aria-label': `Forget ${step.name}`})) : null))))) : null;
	}

	function file() {
		return `api/payload?id=${encodeURIComponent(found.id)}`;
	}

	function payload() {
		if (!config.payloads) {
			return h('section', {class: 'card'}, h('h2', {}, 'Payload'), h('p', {class: 'muted'}, 'You do not have the right to see payloads.'));
		}
		const text = found.payload !== undefined ? found.payload : found.payloadBase64;
		return h('section', {class: 'card'}, h('div', {class: 'row'}, h('h2', {}, 'Payload'), h('span', {class: 'row end'}, text && !found.cut ? copyButton(text, 'payload') : null)),
			found.cut ? h('p', {class: 'part'}, `The first ${exact(text.length)} characters. `, h('a', {href: file(), download: ''}, `Download all ${plural(found.payloadSize, 'byte')}`)) : null,
			text ? h('pre', {class: 'payload', tabindex: '0', role: 'group', 'aria-label': 'Payload'}, found.payload !== undefined ? pretty(text) : text) : h('p', {class: 'muted'}, 'This job has no payload.'),
			found.payloadBase64 ? h('p', {class: 'muted'}, 'The payload is not text. It is shown in Base64.') : null);
	}

	// Each attempt with the time before it and the time it ran, all to one scale. The due time is stored only
	// for the last one. A pause before an operator's retry is not a delay.
	function rows() {
		const list = [];
		let before = Date.parse(found.createdAt);
		let last = 0;
		let retried = false;
		// The time of a dead job's retry is not stored, but its attempts count from 1 again.
		const startOver = (number) => {
			if (number <= last) {
				list.push({label: 'Retried', cls: ''});
			}
			retried = number <= last;
			last = number;
		};
		for (const attempt of found.trail.attempts) {
			const end = Date.parse(attempt.endedAt);
			const start = attempt.startedAt ? Date.parse(attempt.startedAt) : null;
			const failed = 'error' in attempt;
			startOver(attempt.number);
			list.push({number: attempt.number, label: failed ? 'Failed' : found.state === 'CANCELLED' ? 'Cancelled' : 'Succeeded', cls: failed ? 'bad' : found.state === 'CANCELLED' ? '' : 'good', before, retried, start, end, worker: attempt.worker, attempt});
			before = end;
		}
		const ended = ['DEAD', 'SUCCEEDED', 'CANCELLED'].includes(found.state);
		if (!ended) {
			startOver(found.attempt);
		}
		if (found.run) {
			list.push({number: found.attempt, label: !gone ? 'Running' : cancelled ? 'Cancelled' : 'Ended', cls: gone ? '' : 'good', before, retried, start: Date.parse(found.run.startedAt), end: Math.max(gone ? seenAt : now(), Date.parse(found.run.startedAt)), seen: gone, worker: found.run.worker});
		}
		else if (gone || found.state === 'CANCELLED' && !found.attempt) {
			list.push({label: gone && !cancelled ? 'Ended' : 'Cancelled', cls: ''});
		}
		else if (!ended) {
			list.push(found.waitsFor && !waitsForSignal(found) ? {number: found.attempt, label: 'Parked', cls: 'next'} : {number: found.attempt, label: {READY: 'Waiting', WAITING: 'Parked'}[found.state] || 'Scheduled', cls: 'next', before, retried, start: Math.max(Date.parse(found.dueAt), found.state === 'READY' ? now() : 0), due: true});
		}
		const latest = list[list.length - 1];
		if (latest?.number) {
			latest.dueAt = Date.parse(found.dueAt);
		}
		return list;
	}

	// The parts of the time before an attempt: the wanted delay, then the wait for a thread.
	function idle({label, before, retried, start, due, dueAt}) {
		const parts = (...all) => all.filter(([, , millis]) => millis > 0);
		if (before === undefined || start === null) {
			return [];
		}
		if (label === 'Parked') {
			return [['due', 'at most', Math.max(0, start - before)]];
		}
		if (due && label === 'Scheduled') {
			return [['due', 'due after', Math.max(0, start - before)]];
		}
		// A due time after the start belongs to another attempt, which was cancelled before it began.
		if (!dueAt || dueAt > start + SKEW) {
			return parts(['after', 'after', start - before]);
		}
		const name = retried ? 'after' : 'delayed';
		return [...parts([name, name, Math.min(dueAt, start) - before]), ['waited', due ? 'waiting for' : 'waited', Math.max(0, start - Math.max(before, dueAt))]];
	}

	function attempts() {
		const list = rows();
		const from = Date.parse(found.createdAt);
		const most = Math.max(1, ...list.map((row) => Math.max(row.start || 0, row.end || 0))) - from;
		return h('section', {class: 'card'}, h('h2', {}, 'Attempts'), h('ol', {class: 'timeline'}, h('li', {class: 'first', 'data-key': 'enqueued'}, h('b', {}, 'Enqueued'), h('span', {class: 'times'}, moment(found.createdAt))),
			list.map((row, i) => h('li', {class: row.cls, 'data-key': `${row.number} ${row.label} ${i}`}, line(row, from, Math.max(1, most)), !row.attempt ? null : row.cls !== 'bad' ? log(row.attempt.log, `Log of attempt ${row.number}`) : detail(row.attempt, i === list.length - 1 || !list[i + 1].attempt)))),
			found.trail.attempts.length >= KEPT ? h('p', {class: 'muted'}, `The latest ${exact(KEPT)} attempts are kept.`) : null);
	}

	function line(row, from, most) {
		const {number, label, cls, before, start, end, worker, due, seen} = row;
		const known = before !== undefined;
		const parts = idle(row);
		const ran = start && end ? Math.max(0, end - start) : null;
		const texts = [...parts.map(([, words, millis]) => `${words} ${span(millis)}`), ran === null ? (known && start === null ? 'start unknown' : null) : `ran ${seen ? 'about ' : ''}${span(ran)}`].filter((text) => text);
		const bars = known ? [portion('space', before - from, most), start === null ? portion('after', end - before, most) : parts.map(([name, , millis]) => portion(name, millis, most)), ran === null ? null : h('i', {class: `ran ${cls}`, style: {width: `${ran * 100 / most}%`}})] : null;
		return h('div', {class: 'attempt-line'}, h('b', {}, number ? `Attempt ${exact(number)}` : label), number ? h('span', {class: `outcome ${cls}`}, label) : null,
			h('span', {class: 'times'}, due ? brief(found.dueAt) : start ? timeOf(start) : null, end && start && label !== 'Running' && !seen ? [' – ', timeOf(end)] : !start && end ? timeOf(end) : null),
			bars ? h('div', {class: 'track', role: 'img', 'aria-label': texts.join(', ')}, bars) : h('div', {}),
			h('span', {class: 'spans'}, texts.join(' · ')), worker ? workerLink(store, worker) : null);
	}

	function timeOf(millis) {
		return brief(new Date(millis).toISOString());
	}

	function detail(attempt, open) {
		return h('details', {class: 'attempt', 'data-key': `${attempt.number} ${attempt.endedAt}`, open}, h('summary', {}, h('span', {class: 'error'}, attempt.error)),
			attempt.stackTrace ? h('div', {class: 'stack'}, h('div', {class: 'row'}, h('h3', {}, 'Stack trace'), h('span', {class: 'row end'}, copyButton(attempt.stackTrace, 'stack trace'))), stack(attempt.stackTrace, `Stack trace of attempt ${attempt.number}`)) : h('p', {class: 'muted'}, 'No stack trace.'), log(attempt.log, `Log of attempt ${attempt.number}`));
	}

	function headers() {
		const names = Object.entries(found.headers || {});
		return names.length ? h('section', {class: 'card'}, h('h2', {}, 'Headers'), h('dl', {class: 'facts'}, names.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))) : null;
	}

	const again = seldom(5500, load);
	render();
	load();
	return {update() {
		// A job that is requested during an action may be gone when the answer comes.
		if (root.held) {
			return;
		}
		if (found) {
			render();
		}
		if (found?.run && !load.error) {
			load();
		}
		else if (!gone) {
			again();
		}
	}, refresh: () => gone ? render() : load()};
}

// Frames of these packages only show how the handler was called, and what it called.
const FOREIGN = /^\s+at (?:[\w.@$-]*\/+)*(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|org\.(?:springframework|hibernate|postgresql|apache|slf4j)|com\.(?:zaxxer|fasterxml)|tools\.jackson|io\.(?:netty|lettuce|micrometer)|reactor|net\.bytebuddy|dev\.jobs\.(?:engine|autoconfigure|store|serialization|metrics|text|[A-Z]\w*))\./;

// The root cause comes first. Consecutive foreign frames are one line, which opens.
function stack(text, label) {
	const parts = text.split(/^(?=Caused by: )/m).map((part) => part.trimEnd());
	return h('div', {class: 'trace', tabindex: '0', role: 'group', 'aria-label': label}, parts.reverse().map((part, i) => {
		const nodes = [];
		let foreign = [];
		const fold = () => {
			nodes.push(foreign.length < 2 ? foreign.map((line) => h('span', {class: 'muted'}, `${line}\n`)) : h('details', {}, h('summary', {}, `    … ${plural(foreign.length, 'frame')} of libraries`), h('span', {class: 'muted'}, foreign.map((line) => `${line}\n`))));
			foreign = [];
		};
		part.split('\n').forEach((line, at) => {
			if (FOREIGN.test(line)) {
				foreign.push(line);
				return;
			}
			fold();
			const said = at ? line : line.replace('Caused by: ', '');
			nodes.push(at ? `${said}\n` : h('b', {}, i ? `which led to: ${said}\n` : `${said}\n`));
		});
		fold();
		return nodes;
	}));
}

function isJson(text) {
	try {
		JSON.parse(text);
		return true;
	}
	catch (error) {
		return false;
	}
}

// Asks for the value of the signal that a job waits for.
function askValue(found) {
	const problem = h('p', {class: 'problem', role: 'alert', hidden: true}, 'This is not valid JSON.');
	const yes = h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, 'Send');
	const field = h('textarea', {id: 'signal-value', rows: 4, spellcheck: 'false', oninput: () => {
		const wrong = field.value.trim() !== '' && !isJson(field.value);
		problem.hidden = !wrong;
		yes.disabled = wrong;
	}});
	return dialog('Send the signal?', (close) => [h('form', {onsubmit: (event) => {
		event.preventDefault();
		close(field.value.trim());
	}}, h('p', {}, 'All jobs that wait for ', waitsFor(found), ' continue with this value. It cannot be taken back.'),
	h('label', {for: 'signal-value'}, 'Value as JSON (empty for none)'), field, problem,
	h('div', {class: 'row end'}, button('Cancel', () => close()), yes))], 'wide');
}

// Asks for the payload of a copy of a job.
function askPayload(found) {
	const json = isJson(found.payload);
	const problem = h('p', {class: 'problem', role: 'alert', hidden: true}, 'This is not valid JSON.');
	const yes = h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, 'Enqueue');
	const field = h('textarea', {id: 'payload-text', rows: 12, spellcheck: 'false', oninput: () => {
		const wrong = json && !isJson(field.value);
		problem.hidden = !wrong;
		yes.disabled = wrong;
	}});
	field.value = json ? pretty(found.payload) : found.payload;
	return dialog(`Enqueue ${found.name} again`, (close) => [h('form', {onsubmit: (event) => {
		event.preventDefault();
		close(field.value);
	}}, h('p', {}, 'This enqueues a new job with the same tags and headers. The original job does not change.'),
	h('label', {for: 'payload-text'}, 'Payload'), field, problem,
	h('div', {class: 'row end'}, button('Cancel', () => close()), yes))], 'wide');
}
