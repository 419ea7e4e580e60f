import {h, show} from './dom.js';
import {read} from './api.js';
import {ago, count, exact, number, rate, span, now} from './format.js';
import {chart} from './chart.js';
import {empty, heading, link, loading, portion} from './parts.js';

const RANGES = [['1h', '1 h'], ['3h', '3 h'], ['12h', '12 h'], ['2d', '2 d']];

const MOST = 6;
const LEVELS = ['bad', 'warn', 'note'];

export const title = 'Overview';

export default function overview(root, {store}) {
	let range = '1h';
	let history = null;
	let loadedAt = 0;

	async function load(force) {
		if (!force && Date.now() - loadedAt < 9000) {
			return;
		}
		loadedAt = Date.now();
		const wanted = range;
		const result = await read('history', {range}).catch(() => null);
		if (wanted === range && result) {
			history = result;
			render();
		}
	}

	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Overview'), loading());
			return;
		}
		show(root, heading('Overview', h('div', {class: 'segments', role: 'group', 'aria-label': 'Time shown'},
			RANGES.map(([value, label]) => h('button', {type: 'button', 'aria-pressed': String(value === range), onclick: () => {
				range = value;
				load(true);
				render();
			}}, label)))), alerts(state), tiles(state), charts(history), backlog(state));
	}

	render();
	load(true);
	return {update() {
		render();
		load(false);
	}, refresh() {
		load(true);
	}};
}

function alerts(state) {
	if (state.alerts.length === 0) {
		return h('p', {class: 'all-well'}, 'All is well.');
	}
	const items = [...state.alerts].sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)).map((alert) => h('li', {class: alert.level}, h('a', {href: link(alert.link)}, alert.text)));
	const list = (some, label) => h('ul', {class: 'alerts', 'aria-label': label}, some);
	return items.length <= MOST ? list(items, 'Alerts') : [list(items.slice(0, MOST - 1), 'Alerts'),
		h('details', {class: 'more', 'data-key': 'alerts'}, h('summary', {}, `and ${state.alertCount - MOST + 1} more`), list(items.slice(MOST - 1), 'More alerts'))];
}

function tile(label, value, detail, href, cls) {
	return h('a', {class: `tile ${cls || ''}`, href}, h('span', {class: 'label'}, label), h('strong', {}, value), detail ? h('span', {class: 'detail', title: detail}, detail) : null);
}

function tiles(state) {
	const total = state.totals;
	const slots = state.workers.flatMap((worker) => worker.pools || []).reduce((sum, pool) => sum + pool.concurrency, 0);
	const recent = state.recent;
	return h('section', {class: 'tiles', 'aria-label': 'Figures'},
		tile('Succeeded', `${rate(recent.succeeded)}/s`, 'last 2 minutes', '#/queues'),
		tile('Failed', `${rate(recent.failed)}/s`, 'last 2 minutes', link(['jobs'], {state: 'retrying'}), recent.failed > 0 ? 'warn' : ''),
		tile('Waiting', count(total, 'ready'), '', link(['jobs'], {state: 'ready'})),
		tile('Scheduled', count(total, 'scheduled'), '', link(['jobs'], {state: 'scheduled'})),
		tile('Running', count(total, 'running'), slots ? `of ${exact(slots)} threads` : 'no threads', '#/workers'),
		tile('Retrying', count(total, 'retrying'), '', link(['jobs'], {state: 'retrying'}), total.retrying ? 'warn' : ''),
		tile('Dead', count(total, 'dead'), '', '#/dead', total.dead ? 'bad' : ''),
		tile('Longest wait', total.oldestReady ? span(Math.max(0, now() - Date.parse(total.oldestReady))) : '–', total.oldestQueue || 'nothing waits', total.oldestQueue ? link(['queues', total.oldestQueue]) : '#/queues'),
		tile('Workers', exact(state.workers.length), state.workers.length ? '' : 'nothing runs', '#/workers', state.workers.length ? '' : 'bad'));
}

export function charts(history) {
	if (!history) {
		return h('section', {class: 'charts'}, loading(), loading(), loading());
	}
	const times = history.times.map((time) => Date.parse(time));
	const seconds = history.stepSeconds;
	const perSecond = (values) => values.map((value, i) => i < values.length - 1 ? value / seconds
		: history.lastSeconds < Math.min(20, seconds / 3) ? null : value / history.lastSeconds);
	const quantiles = (spread) => ['p50', 'p95', 'p99'].map((name) => ({name, cls: name, values: spread[name]}));
	const line = (text, series, format, unit) => chart({title: text, times, series, format, unit});
	return h('section', {class: 'charts', 'aria-label': 'History'},
		line('Attempts per second', [{name: 'succeeded', cls: 'good', filled: true, values: perSecond(history.succeeded)},
			{name: 'failed', cls: 'bad', filled: true, values: perSecond(history.failed)}], rate),
		line('Wait before the start', quantiles(history.waited), span, 'ms'),
		line('Run time', quantiles(history.ran), span, 'ms'));
}

function backlog(state) {
	const later = (queue) => queue.scheduled + queue.retrying;
	const all = (queue) => queue.ready + later(queue);
	const queues = state.queues.filter((queue) => all(queue) > 0).sort((a, b) => all(b) - all(a)).slice(0, 10);
	const most = Math.max(1, ...queues.map(all));
	return h('section', {class: 'card'}, h('h2', {}, 'Backlog'),
		queues.length === 0 ? empty('Nothing waits', 'Jobs that wait for a worker or for their time are shown here.')
			: h('ul', {class: 'bars'}, queues.map((queue) => h('li', {'data-key': queue.name},
				h('a', {href: link(['queues', queue.name])}, queue.name),
				h('div', {class: 'track'}, portion('ready', queue.ready, most), portion('scheduled', later(queue), most)),
				h('span', {class: 'num'}, count(queue, 'ready'), later(queue) ? h('small', {}, ` + ${number(later(queue))}${queue.atLeast.includes('scheduled') ? '+' : ''}`) : null,
					queue.oldestReady ? h('small', {class: 'since'}, ` oldest ${ago(queue.oldestReady)}`) : null)))));
}
