// The charts of the past on the overview and on each queue's page, and the choice of their content. All
// charts of a board share one time axis and one crosshair, which mouse, touch and arrow keys move.

import {h, show, svg} from './dom.js';
import {read} from './api.js';
import {clock, now, rate, span, usesUtc, zone} from './format.js';
import {button, deed, link, plain} from './parts.js';

const RANGES = [['15m', '15 min'], ['1h', '1 h'], ['3h', '3 h'], ['12h', '12 h'], ['2d', '2 days']];
const FRESH = 9000;
// The fewest steps shown.
const FEWEST = 15;

// A page opens with the last choice.
const chosen = {range: '1h', by: '', scale: ''};

// The past of all queues, or of a given one. Its choices are kept in the address of the page.
export function past({path, params, queue, redraw}) {
	const charts = board('Statistics');
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
		const result = await read('statistics', {range, queue, by}).catch(() => null);
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
		// If nothing happened in the first half, the charts begin shortly before the first event.
		const began = loaded.times.findIndex((time, i) => loaded.enqueued[i] + loaded.succeeded[i] + loaded.failed[i] > 0);
		const from = began * 2 < loaded.times.length ? 0 : Math.min(began - 1, loaded.times.length - FEWEST);
		const times = loaded.times.slice(from).map((time) => Date.parse(time));
		const perSecond = (all) => all.slice(from).map((value, i, values) => i < values.length - 1 ? value / loaded.stepSeconds
			: loaded.lastSeconds < Math.min(20, loaded.stepSeconds / 3) ? null : value / loaded.lastSeconds);
		const log = chosen.scale === 'log';
		const each = !queue && chosen.by === 'queue' && loaded.queues;
		const quantiles = (spread) => ['p50', 'p95', 'p99'].map((name) => ({name, cls: name, values: spread[name].slice(from)}));
		const marks = loaded.marks.map(marked).filter(({at}) => at >= times[0]).reverse();
		const scale = () => toggle('Log scale', log, {scale: log ? '' : 'log'});
		charts.draw([
			{title: 'Attempts per second', times, format: rate, stacked: !!each,
				tools: queue ? null : toggle('By queue', chosen.by === 'queue', {by: chosen.by ? '' : 'queue'}, true),
				series: each ? each.map((one, i) => ({name: one.name || `${one.others} others`, cls: one.name ? `q${i}` : 'others', values: perSecond(one.attempts)}))
					: [{name: 'succeeded', cls: 'good', filled: true, values: perSecond(loaded.succeeded)}, {name: 'failed', cls: 'bad', filled: true, values: perSecond(loaded.failed)}]},
			{title: 'Queue latency', times, format: span, unit: 'ms', log, tools: scale(), series: quantiles(loaded.waited)},
			{title: 'Run time', times, format: span, unit: 'ms', log, tools: scale(), series: quantiles(loaded.ran)}
		], marks);
	}

	return {root: charts.root, picker, load, draw};
}

// The marks of a chart in words: "version 2.14.0 started", "ada limited send-email to 3".
function marked(note) {
	const {done, name, rest} = deed(note);
	return {at: Date.parse(note.at), cls: note.action, text: name ? `${plain(note.by)} ${done} ${name}${rest}` : `${note.target} started`};
}

const HEIGHT = 168;
const TOP = 8;
const BOTTOM = 24;
const LEFT = 50;
const RIGHT = 14;
const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// The top of a chart of times; half of it is a round time too.
const TIMES = [2, 4, 6, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 4000, 6000, 10000, 20000, 30000, MINUTE, 2 * MINUTE, 4 * MINUTE, 6 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR, DAY];
// The lines of a logarithmic chart.
const DECADES = [1, 10, 100, 1000, 10000, MINUTE, 10 * MINUTE, HOUR, 10 * HOUR, DAY, 10 * DAY, 100 * DAY];
// The gaps between labels of the time axis.
const GAPS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY];
// The width of a label with the space around it, without and with a day.
const LABEL = 46;
// The most marks that are described.
const MOST_TOLD = 8;
const DAY_LABEL = 72;

const known = (value) => value !== null && value !== undefined;

// Charts that share a crosshair. draw() gets their content.
function board(label) {
	const root = h('section', {class: 'charts', 'data-key': `charts ${label}`, 'aria-label': label});
	let charts = [];
	let marks = [];
	let at = null;
	let wanted = false;

	function draw(specs, noted) {
		charts = specs || charts;
		marks = noted || marks;
		const times = charts.length ? charts[0].times : [];
		const index = at === null ? -1 : nearest(times, at);
		show(root, charts.map((spec, i) => chart(spec, marks, index, widthOf(i))), marks.length ? h('ul', {class: 'marks', 'data-key': 'marks'}, marks.slice(-MOST_TOLD).map(({at, cls, text}) =>
			h('li', {class: cls}, h('b', {}, clock(at, usesDays(at))), ` ${text}`)), h('li', {}, h('a', {href: '#/activity'}, 'All activity'))) : null);
	}

	function widthOf(i) {
		const plot = root.children[i] && root.children[i].querySelector('.plot');
		return Math.round(plot?.clientWidth) || 400;
	}

	function soon() {
		if (!wanted) {
			wanted = true;
			requestAnimationFrame(() => {
				wanted = false;
				draw();
			});
		}
	}

	function move(time) {
		at = time;
		soon();
	}

	function point(event) {
		const plot = event.target.closest('.plot');
		if (!plot || !charts.length) {
			return;
		}
		const box = plot.getBoundingClientRect();
		const {times} = charts[0];
		const share = Math.min(1, Math.max(0, (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)));
		const time = times[0] + share * (times[times.length - 1] - times[0]);
		move(times[nearest(times, time)]);
	}

	root.addEventListener('pointermove', point);
	root.addEventListener('pointerdown', point);
	root.addEventListener('pointerleave', (event) => event.pointerType === 'touch' || move(null));
	root.addEventListener('focusout', () => move(null));
	root.addEventListener('keydown', (event) => {
		if (!event.target.classList.contains('plot') || !charts.length) {
			return;
		}
		const {times} = charts[0];
		const last = times.length - 1;
		const index = at === null ? last + 1 : nearest(times, at);
		const next = {ArrowLeft: index - 1, ArrowRight: index + 1, PageUp: index - 10, PageDown: index + 10, Home: 0, End: last}[event.key];
		if (next !== undefined) {
			event.preventDefault();
			move(times[Math.min(last, Math.max(0, next))]);
		}
		else if (event.key === 'Escape' && at !== null) {
			move(null);
		}
	});
	new ResizeObserver(soon).observe(root);
	return {root, draw};
}

function nearest(times, time) {
	let best = times.length - 1;
	for (let i = 0; i < times.length; i++) {
		if (Math.abs(times[i] - time) < Math.abs(times[best] - time)) {
			best = i;
		}
	}
	return best;
}

function chart({title, times, series, format, unit, log, stacked, tools}, marks, index, width) {
	const first = times[0];
	const last = times[times.length - 1];
	const day = last - first >= DAY;
	const right = width - RIGHT;
	const x = (time) => LEFT + (last > first ? (time - first) * (right - LEFT) / (last - first) : 0);
	const lines = stacked ? stack(series) : series.map((line) => ({...line, tops: line.values, floors: null}));
	const all = lines.flatMap((line) => line.tops).filter(known);
	const scale = log ? logarithmic(all) : linear(all, unit);
	const y = (value) => TOP + (1 - scale.share(value)) * (HEIGHT - BOTTOM - TOP);
	const grid = scale.ticks.map((tick) => [
		svg('line', {class: 'grid', x1: LEFT, x2: right, y1: y(tick), y2: y(tick)}),
		svg('text', {class: 'tick', x: LEFT - 7, y: y(tick) + 4, 'text-anchor': 'end'}, format(tick))
	]);
	const labels = ticks(first, last, x, right).map((time) => svg('text', {class: 'tick time', x: x(time), y: HEIGHT - 6, 'text-anchor': 'middle'}, clock(time, day && usesDays(time))));
	const end = svg('text', {class: 'tick end', x: right + RIGHT, y: HEIGHT - 6, 'text-anchor': 'end'}, 'now');
	const noted = marks.map(({at, cls}) => svg('path', {class: `mark ${cls}`, d: `M${Math.min(right, x(at)).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`}));
	const drawn = [...lines].reverse().map((line) => paths(line, times, x, y));
	const cursor = index < 0 ? null : svg('g', {class: 'cursor'},
		svg('line', {x1: x(times[index]), x2: x(times[index]), y1: TOP, y2: HEIGHT - BOTTOM}),
		lines.filter((line) => known(line.tops[index])).map((line) => svg('circle', {class: line.cls, cx: x(times[index]), cy: y(line.tops[index]), r: 3.5})));
	const latest = (line) => line.values.findLast(known);
	const value = (line) => index < 0 ? latest(line) : line.values[index];
	const text = (line) => known(value(line)) ? format(value(line)) : '–';
	const when = index < 0 ? 'latest' : `${clock(times[index], day)} ${zone(times[index])}`;
	return h('figure', {class: 'chart', 'data-key': title},
		h('figcaption', {}, h('span', {class: 'chart-title'}, title), tools, h('span', {class: 'at'}, when)),
		h('div', {class: 'plot', tabindex: '0', role: 'slider', 'aria-label': `${title}, ${clock(first, day)} to ${clock(last, day)} ${zone()}`, 'aria-valuemin': '0', 'aria-valuemax': String(times.length - 1), 'aria-valuenow': String(index < 0 ? times.length - 1 : index),
			'aria-valuetext': `${when}: ${series.map((line) => `${line.name} ${text(line)}`).join(', ') || 'no data'}`},
		svg('svg', {width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true'}, grid, noted, labels, end, drawn, cursor),
		all.length ? null : h('span', {class: 'none'}, 'No data in this range')),
		h('ul', {class: 'legend'}, series.map((line) => h('li', {class: `key ${line.cls}`}, h('span', {}, line.name), h('b', {}, text(line))))));
}

// The stacked series. A step where one is unknown is a gap.
function stack(series) {
	let floors = series.length ? series[0].values.map((value) => known(value) ? 0 : null) : [];
	return series.map((line) => {
		const below = floors;
		const tops = line.values.map((value, i) => known(value) && known(below[i]) ? below[i] + value : null);
		floors = tops;
		return {...line, tops, floors: below};
	});
}

function linear(values, unit) {
	const most = nice(Math.max(0, ...values), unit);
	return {ticks: [0, most / 2, most], share: (value) => value / most};
}

function nice(most, unit) {
	if (unit === 'ms') {
		return TIMES.find((time) => time >= most) || Math.ceil(most / DAY / 2) * 2 * DAY;
	}
	if (!(most > 0)) {
		return 1;
	}
	const power = 10 ** Math.floor(Math.log10(most));
	return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= most);
}

function logarithmic(values) {
	const positive = values.filter((value) => value > 0);
	const least = Math.min(...positive, DAY);
	const most = Math.max(...positive, 1);
	const low = Math.max(0, DECADES.findLastIndex((tick) => tick <= least));
	const high = Math.max(low + 1, DECADES.findIndex((tick) => tick >= most));
	const ticks = DECADES.slice(low, high + 1);
	const from = Math.log(DECADES[low]);
	const to = Math.log(DECADES[high]);
	const every = Math.ceil(ticks.length / 5);
	return {ticks: ticks.filter((tick, i) => (ticks.length - 1 - i) % every === 0), share: (value) => value > 0 ? Math.max(0, (Math.log(value) - from) / (to - from)) : 0};
}

// Round times, as far apart as their labels need, without those too close to the label at the right end.
function ticks(first, last, x, right) {
	const room = (right - LEFT) / (last - first >= DAY ? DAY_LABEL : LABEL);
	const gap = GAPS.find((it) => (last - first) / it <= room) || DAY;
	const offset = usesUtc() ? 0 : -new Date(last).getTimezoneOffset() * MINUTE;
	const result = [];
	for (let time = Math.ceil((first + offset) / gap) * gap - offset; time <= last; time += gap) {
		if (x(time) >= LEFT + 12 && x(time) <= right - 30) {
			result.push(time);
		}
	}
	return result;
}

function usesDays(time) {
	return now() - time >= 12 * HOUR;
}

// The pieces of a line between its gaps.
function pieces(tops) {
	const result = [];
	let piece = null;
	tops.forEach((value, i) => {
		if (!known(value)) {
			piece = null;
			return;
		}
		if (!piece) {
			piece = [];
			result.push(piece);
		}
		piece.push(i);
	});
	return result;
}

function paths({tops, floors, cls, filled}, times, x, y) {
	const at = (values) => (i) => `${x(times[i]).toFixed(1)} ${y(values ? values[i] : 0).toFixed(1)}`;
	const top = at(tops);
	const floor = at(floors);
	return pieces(tops).map((piece) => [
		filled || floors ? svg('path', {class: `area ${floors ? 'stacked ' : ''}${cls}`, d: `M${piece.map(top).join('L')}L${[...piece].reverse().map(floor).join('L')}Z`}) : null,
		piece.length > 1 ? svg('path', {class: `line ${cls}`, d: `M${piece.map(top).join('L')}`}) : svg('circle', {class: `point ${cls}`, cx: x(times[piece[0]]), cy: y(tops[piece[0]]), r: 2})
	]);
}

export function sparkline(values, label) {
	const most = Math.max(1, ...values);
	const points = values.map((value, i) => `${(i * 100 / Math.max(values.length - 1, 1)).toFixed(1)},${(22 - value / most * 20).toFixed(1)}`).join(' ');
	return svg('svg', {class: 'spark', viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
		svg('polyline', {points}));
}
