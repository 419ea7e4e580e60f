// Small charts. One is an image to a screen reader, described by its label.

import {h, svg} from './dom.js';
import {clock, zone} from './format.js';

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 46;
const BOTTOM = 20;
const DAY = 86400000;
const HOUR = 3600000;

// What is at the top of a chart of times; half of it is a round time too.
const TIMES = [2, 10, 20, 100, 200, 1000, 2000, 10000, 20000, 60000, 120000, 600000, 1200000, HOUR, 4 * HOUR, 12 * HOUR, DAY];

function nice(most, unit) {
	if (unit === 'ms') {
		return TIMES.find((time) => time >= most) || Math.ceil(most / DAY / 2) * 2 * DAY;
	}
	if (!(most > 0)) {
		return 1;
	}
	const power = 10 ** Math.floor(Math.log10(most));
	return [1, 2, 4, 10].map((step) => step * power).find((step) => step >= most);
}

export function chart({title, times, series, format, unit}) {
	const most = nice(Math.max(0, ...series.flatMap((line) => line.values.map((value) => value || 0))), unit);
	const count = times.length;
	const x = (i) => LEFT + (count > 1 ? i * (WIDTH - LEFT - 6) / (count - 1) : 0);
	const y = (value) => 8 + (1 - value / most) * (HEIGHT - BOTTOM - 8);
	const grid = [0, 0.5, 1].map((part) => [
		svg('line', {class: 'grid', x1: LEFT, x2: WIDTH - 6, y1: y(part * most), y2: y(part * most)}),
		svg('text', {class: 'tick', x: LEFT - 6, y: y(part * most) + 4, 'text-anchor': 'end'}, format(part * most))
	]);
	const day = times[count - 1] - times[0] >= DAY;
	const every = Math.max(1, Math.ceil(count / (day ? 4 : 5)));
	const labels = times.map((time, i) => i % every === 0 && i < count - every / 2
		? svg('text', {class: 'tick', x: x(i), y: HEIGHT - 4, 'text-anchor': i === 0 ? 'start' : 'middle'}, clock(time, day)) : null);
	const lines = series.map((line) => paths(line, x, y));
	const spots = times.map((time, i) => {
		const text = `${clock(time, day)} ${zone(time)}\n` + series.map((line) => `${line.name}: ${line.values[i] === null ? '–' : format(line.values[i])}`).join('\n');
		const width = (WIDTH - LEFT - 6) / Math.max(count - 1, 1);
		return svg('g', {class: 'spot'},
			svg('rect', {x: x(i) - width / 2, y: 0, width, height: HEIGHT - BOTTOM}, svg('title', {}, text)),
			svg('line', {x1: x(i), x2: x(i), y1: 8, y2: HEIGHT - BOTTOM}));
	});
	const last = (line) => [...line.values].reverse().find((value) => value !== null);
	const summary = series.map((line) => `${line.name} ${last(line) === undefined ? 'none' : format(last(line))}`).join(', ');
	return h('figure', {class: 'chart'},
		h('figcaption', {}, h('span', {class: 'chart-title'}, title),
			h('span', {class: 'legend'}, series.map((line) => h('span', {class: `key ${line.cls}`}, line.name)))),
		svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title}, ${clock(times[0], day)} to ${clock(times[count - 1], day)} ${zone()}, latest: ${summary}`}, grid, labels, lines, spots));
}

function paths(line, x, y) {
	let stroke = '';
	let pieces = [];
	let open = false;
	line.values.forEach((value, i) => {
		if (value === null || value === undefined) {
			open = false;
			return;
		}
		stroke += `${open ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
		if (!open) {
			const alone = line.values[i + 1] === null || line.values[i + 1] === undefined;
			pieces.push(alone ? svg('circle', {class: `dot ${line.cls}`, cx: x(i), cy: y(value), r: 2}) : null);
		}
		open = true;
	});
	let area = null;
	if (line.filled && line.values.length > 1) {
		const known = line.values.filter((value) => value !== null && value !== undefined);
		const points = known.map((value, i) => `L${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
		area = svg('path', {class: `area ${line.cls}`, d: `M${x(0)} ${y(0)}${points}L${x(Math.max(known.length - 1, 0))} ${y(0)}Z`});
	}
	return [area, svg('path', {class: `line ${line.cls}`, d: stroke || 'M0 0'}), pieces];
}

export function sparkline(values, label) {
	const most = Math.max(1, ...values);
	const points = values.map((value, i) => `${(i * 100 / Math.max(values.length - 1, 1)).toFixed(1)},${(22 - value / most * 20).toFixed(1)}`).join(' ');
	return svg('svg', {class: 'spark', viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
		svg('polyline', {points}));
}
