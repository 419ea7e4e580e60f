import {h, show} from './dom.js';
import {ago, count, exact, now, plural, rate, span} from './format.js';
import {past} from './past.js';
import {button, empty, heading, link, loading, portion, threadsOf} from './parts.js';

const STATES = [['Waiting', 'ready'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying'], ['Parked', 'parked'], ['Running', 'running'], ['Dead', 'dead']];
const DISMISSED = 'jobs-dismissed';

export const title = 'Overview';

export default function overview(root, {store, params}) {
	const open = new Set();
	const charts = past({path: ['overview'], params, redraw: render});

	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Overview'), loading());
			return;
		}
		show(root, heading('Overview', charts.picker()), alerts(state, open, render), states(state), tiles(state), charts.root, backlog(state));
	}

	render();
	charts.load(true);
	return {update() {
		render();
		charts.load(false);
	}, refresh() {
		charts.draw();
		charts.load(true);
	}};
}

// Alerts dismissed in this session. An alert comes back once another queue has the same trouble, or its number has doubled.
function dismissed() {
	try {
		return JSON.parse(sessionStorage.getItem(DISMISSED)) || {};
	}
	catch (error) {
		return {};
	}
}

function dismiss(changed) {
	try {
		sessionStorage.setItem(DISMISSED, JSON.stringify(changed));
	}
	catch (error) {
		// Storage is not available, so it is shown again.
	}
}

function alerts(state, open, render) {
	if (state.alerts.length === 0) {
		return h('p', {class: 'all-well', 'data-key': 'alerts'}, 'No problems detected.');
	}
	const hidden = dismissed();
	const isHidden = (alert) => Object.hasOwn(hidden, alert.kind) && alert.amount < 2 * hidden[alert.kind].amount && alert.queueCount <= hidden[alert.kind].count && alert.queues.every((queue) => alert.queueCount > alert.queues.length || hidden[alert.kind].names.includes(queue.name));
	const shown = state.alerts.filter((alert) => !isHidden(alert));
	const rest = state.alerts.length - shown.length;
	return h('section', {class: 'alerts', 'aria-label': 'Alerts', 'data-key': 'alerts'},
		shown.length ? h('ul', {}, shown.map((alert) => item(alert, open, render, () => {
			dismiss({...hidden, [alert.kind]: {amount: alert.amount, count: alert.queueCount, names: alert.queues.map((queue) => queue.name)}});
			render();
		}))) : null,
		rest ? h('p', {class: 'muted'}, `${plural(rest, 'alert')} dismissed. `, button('Show', () => {
			dismiss({});
			render();
		}, {class: 'linkish', 'aria-label': 'Show dismissed alerts'})) : null);
}

function item(alert, open, render, dismissIt) {
	const isOpen = open.has(alert.kind);
	const more = alert.queueCount - alert.queues.length;
	return h('li', {class: alert.level, 'data-key': alert.kind},
		h('div', {class: 'alert'}, h('a', {href: link(alert.link)}, alert.text),
			alert.queueCount > 1 ? button(isOpen ? 'Hide queues' : 'Show queues', () => {
				isOpen ? open.delete(alert.kind) : open.add(alert.kind);
				render();
			}, {class: 'linkish', 'aria-expanded': String(isOpen), 'aria-label': `${isOpen ? 'Hide' : 'Show'} the queues: ${alert.text}`}) : null,
			button('×', dismissIt, {class: 'icon dismiss', 'aria-label': `Dismiss: ${alert.text}`, title: 'Dismiss until another queue is affected, its number has doubled or the tab is closed'})),
		isOpen ? h('ul', {class: 'affected'}, alert.queues.map((queue) => h('li', {}, h('a', {href: link(queue.link)}, queue.name), ` ${queue.text}`)), more > 0 ? h('li', {}, `and ${exact(more)} more`) : null) : null);
}

function tile(label, value, detail, href, cls) {
	return h('a', {class: `tile ${cls || ''}`, href}, h('span', {class: 'label'}, label), h('strong', {}, value), detail ? h('span', {class: 'detail', title: detail}, detail) : null);
}

// Every job that has not ended well is in one of these states, so the numbers add up.
function states(state) {
	const total = state.totals;
	const sum = STATES.reduce((all, [, field]) => all + total[field], 0);
	const href = (field) => field === 'dead' ? '#/dead' : link(['jobs'], {state: field});
	const cls = (field) => total[field] === 0 ? 'none' : field === 'dead' ? 'bad' : field === 'retrying' ? 'warn' : '';
	return h('section', {class: 'card states', 'aria-label': 'Jobs by state', 'data-key': 'states'},
		h('a', {class: 'tile', href: '#/jobs'}, h('span', {class: 'label'}, 'Jobs'), h('strong', {}, count(total, ...STATES.map(([, field]) => field))), h('span', {class: 'detail'}, `in ${plural(state.queueCount, 'queue')}`)),
		STATES.map(([label, field]) => h('a', {class: `tile ${cls(field)}`, href: href(field)}, h('span', {class: 'label'}, h('i', {class: `swatch ${field}`}), label), h('strong', {}, count(total, field)))),
		h('div', {class: 'track', 'aria-hidden': 'true'}, STATES.map(([, field]) => portion(field, total[field], Math.max(1, sum)))));
}

function tiles(state) {
	const total = state.totals;
	const {busy, threads} = threadsOf(state.workers);
	const {recent} = state;
	return h('section', {class: 'tiles', 'aria-label': 'Figures', 'data-key': 'figures'},
		tile('Succeeded', `${rate(recent.succeeded)}/s`, 'in the last 2 minutes', link(['jobs'], {state: 'succeeded'})),
		tile('Failed', `${rate(recent.failed)}/s`, 'in the last 2 minutes', link(['jobs'], {state: 'retrying'}), recent.failed > 0 ? 'warn' : ''),
		tile('Longest wait', total.oldestReady ? span(Math.max(0, now() - Date.parse(total.oldestReady))) : '–', total.oldestQueue || 'no waiting jobs', total.oldestQueue ? link(['queues', total.oldestQueue]) : '#/queues'),
		tile('Threads busy', `${exact(busy)} of ${exact(threads)}`, state.workers.length ? `of ${plural(state.workers.length, 'worker')}` : 'no live workers', '#/workers', state.workers.length ? '' : 'bad'));
}

const BACKLOG = [['Waiting', 'ready'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying']];

function backlog(state) {
	const all = (queue) => queue.ready + queue.scheduled + queue.retrying;
	const queues = state.queues.filter((queue) => all(queue) > 0).sort((a, b) => all(b) - all(a)).slice(0, 10);
	const most = Math.max(1, ...queues.map(all));
	const cell = (queue, label, field) => h('td', {class: `num ${queue[field] ? '' : 'nothing'}`, 'data-label': label}, queue[field] ? h('a', {href: link(['jobs'], {state: field, queue: queue.name})}, count(queue, field)) : h('span', {class: 'zero'}, '0'));
	return h('section', {class: 'card backlog', 'data-key': 'backlog'}, h('h2', {}, 'Backlog'),
		queues.length === 0 ? empty('No backlog', 'Queues with waiting, scheduled or retrying jobs appear here.')
			: h('table', {}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Queue'), h('td', {}), BACKLOG.map(([label, field]) => h('th', {scope: 'col', class: 'num'}, h('i', {class: `swatch ${field}`}), label)), h('th', {scope: 'col', class: 'num since'}, 'Longest wait'))),
				h('tbody', {}, queues.map((queue) => h('tr', {'data-key': queue.name},
					h('td', {class: 'name'}, h('a', {href: link(['queues', queue.name])}, queue.name)),
					h('td', {class: 'bar-cell'}, h('div', {class: 'track', 'aria-hidden': 'true'}, BACKLOG.map(([, field]) => portion(field, queue[field], most)))),
					BACKLOG.map(([label, field]) => cell(queue, label, field)),
					h('td', {class: `num since ${queue.oldestReady ? '' : 'nothing'}`, 'data-label': 'Longest wait'}, queue.oldestReady ? ago(queue.oldestReady).replace(' ago', '') : '–'))))));
}
