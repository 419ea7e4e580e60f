// The charts of what happened, as the overview and each queue have them, and the choice of what they show.

import {h} from './dom.js';
import {read} from './api.js';
import {rate, span} from './format.js';
import {board} from './chart.js';
import {button, link} from './parts.js';

const RANGES = [['15m', '15 min'], ['1h', '1 h'], ['3h', '3 h'], ['12h', '12 h'], ['2d', '2 days']];
const FRESH = 9000;
// So many steps are shown at least.
const FEWEST = 15;

// A page opens with what was chosen last.
const chosen = {range: '1h', by: '', scale: ''};

// The past of all queues, or of the one that is given. Its choices are kept in the address of the page.
export function past({path, params, queue, redraw}) {
	const charts = board('History');
	let loaded = null;
	let loadedAt = 0;
	if (RANGES.some(([range]) => range === params.range)) {
		Object.assign(chosen, {range: params.range, by: params.by || '', scale: params.scale || ''});
	}

	async function load(force) {
		if (!force && Date.now() - loadedAt < FRESH) {
			return;
		}
		loadedAt = Date.now();
		const {range} = chosen;
		const by = queue ? '' : chosen.by;
		const result = await read('history', {range, queue, by}).catch(() => null);
		if (result && range === chosen.range && by === (queue ? '' : chosen.by)) {
			loaded = result;
			draw();
		}
	}

	function choose(change, reload) {
		Object.assign(chosen, change);
		Object.assign(params, chosen);
		window.history.replaceState(null, '', link(path, params));
		if (reload) {
			load(true);
		}
		draw();
		redraw();
	}

	function picker() {
		return h('div', {class: 'segments', role: 'group', 'aria-label': 'Time shown'}, RANGES.map(([range, label]) => button(label, () => choose({range}, true), {'aria-pressed': String(range === chosen.range)})));
	}

	function toggle(label, on, change, reload) {
		return button(label, () => choose(change, reload), {class: 'small toggle', 'aria-pressed': String(on)});
	}

	function draw() {
		if (!loaded) {
			return;
		}
		// Where nothing happened in the first half, the charts begin shortly before the first that did.
		const began = loaded.times.findIndex((time, i) => loaded.enqueued[i] + loaded.succeeded[i] + loaded.failed[i] > 0);
		const from = began * 2 < loaded.times.length ? 0 : Math.min(began - 1, loaded.times.length - FEWEST);
		const times = loaded.times.slice(from).map((time) => Date.parse(time));
		const perSecond = (all) => all.slice(from).map((value, i, values) => i < values.length - 1 ? value / loaded.stepSeconds
			: loaded.lastSeconds < Math.min(20, loaded.stepSeconds / 3) ? null : value / loaded.lastSeconds);
		const log = chosen.scale === 'log';
		const each = !queue && chosen.by === 'queue' && loaded.queues;
		const quantiles = (spread) => ['p50', 'p95', 'p99'].map((name) => ({name, cls: name, values: spread[name].slice(from)}));
		const scale = () => toggle('Log scale', log, {scale: log ? '' : 'log'});
		charts.draw([
			{title: 'Attempts per second', times, format: rate, stacked: !!each,
				tools: queue ? null : toggle('By queue', chosen.by === 'queue', {by: chosen.by ? '' : 'queue'}, true),
				series: each ? each.map((one, i) => ({name: one.name || `${one.others} others`, cls: one.name ? `q${i}` : 'others', values: perSecond(one.attempts)}))
					: [{name: 'succeeded', cls: 'good', filled: true, values: perSecond(loaded.succeeded)}, {name: 'failed', cls: 'bad', filled: true, values: perSecond(loaded.failed)}]},
			{title: 'Queue latency', times, format: span, unit: 'ms', log, tools: scale(), series: quantiles(loaded.waited)},
			{title: 'Run time', times, format: span, unit: 'ms', log, tools: scale(), series: quantiles(loaded.ran)}
		]);
	}

	return {root: charts.root, picker, load, draw};
}
