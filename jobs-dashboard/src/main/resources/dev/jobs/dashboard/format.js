// Numbers, times and texts for human readers.

import {h} from './dom.js';

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const fine = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
// All times have one format in every language of the browser: 24 hours, and the day before the month.
const FIELDS = {year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'};
const FORMATS = {false: new Intl.DateTimeFormat('en', FIELDS), true: new Intl.DateTimeFormat('en', {...FIELDS, timeZone: 'UTC'})};
// Zones have the names in the reader's language.
const ZONES = {false: new Intl.DateTimeFormat(undefined, {timeZoneName: 'short'}), true: new Intl.DateTimeFormat(undefined, {timeZoneName: 'short', timeZone: 'UTC'})};

const clocks = {};
let skew = 0;
let utc = false;

// Ages are measured by the server's clock.
export function setNow(text) {
	skew = Date.parse(text) - Date.now();
}

// Times are in the reader's zone, or in UTC to compare with servers.
export function useUtc(wanted) {
	utc = wanted;
}

export function usesUtc() {
	return utc;
}

export function zone(at) {
	return zoneOf(at === undefined ? now() : at, utc);
}

function zoneOf(at, universal) {
	return ZONES[universal].formatToParts(at).find((part) => part.type === 'timeZoneName').value;
}

function parts(at, universal) {
	return Object.fromEntries(FORMATS[universal].formatToParts(at).map(({type, value}) => [type, value]));
}

function full(date, universal) {
	const at = parts(date, universal);
	return `${at.day} ${at.month} ${at.year}, ${at.hour}:${at.minute}:${at.second} ${zoneOf(date, universal)}`;
}

export function now() {
	return Date.now() + skew;
}

export function exact(value) {
	return typeof value === 'string' ? value : whole.format(value);
}

// A number, or a lower bound with only its first two digits, since the others would mean nothing.
export function atLeast(value, more, words) {
	const unknown = 10 ** Math.max(0, String(value).length - 2);
	return more ? (words || '≥ ') + exact(Math.floor(value / unknown) * unknown) : exact(value);
}

// The sum of some numbers of an object that lists which of them are estimates or lower bounds.
export function count(of, ...fields) {
	const sum = fields.reduce((all, field) => all + of[field], 0);
	const any = (names) => fields.some((field) => names?.includes(field));
	return any(of.about) ? `about ${exact(Number(sum.toPrecision(2)))}` : atLeast(sum, any(of.atLeast));
}

export function jobs(text) {
	return `${text} ${text === '1' ? 'job' : 'jobs'}`;
}

export function rate(value) {
	return value > 0 && value < 0.095 ? value.toFixed(2) : value < 100 ? fine.format(value) : whole.format(value);
}

export function plural(count, unit, units) {
	return `${exact(count)} ${count === 1 ? unit : units || unit + 's'}`;
}

export function span(millis) {
	const value = Math.abs(millis);
	if (value < 1000) {
		return `${value < 10 ? fine.format(value) : Math.round(value)} ms`;
	}
	const seconds = value / 1000;
	if (seconds < 10) {
		return `${fine.format(seconds)} s`;
	}
	if (seconds < 60) {
		return `${Math.floor(seconds)} s`;
	}
	if (seconds < 3600) {
		return `${Math.floor(seconds / 60)} min`;
	}
	if (seconds < 36000) {
		const minutes = Math.floor(seconds % 3600 / 60);
		return `${Math.floor(seconds / 3600)} h${minutes ? ` ${minutes} min` : ''}`;
	}
	return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}

export function ago(text) {
	const millis = now() - Date.parse(text);
	if (Math.abs(millis) < 1000) {
		return 'now';
	}
	return millis > 0 ? `${span(Math.floor(millis / 1000) * 1000)} ago` : `in ${span(Math.ceil(-millis / 1000) * 1000)}`;
}

export function stamp(text) {
	const date = new Date(text);
	return `${full(date, false)} · ${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

export function when(text) {
	return text ? h('time', {datetime: text, title: stamp(text)}, ago(text)) : '–';
}

export function moment(text) {
	return text ? h('time', {datetime: text, title: stamp(text)}, full(new Date(text), utc)) : '–';
}

// A time in its shortest form, with the day unless it is today. The full time is its title.
export function brief(text) {
	if (!text) {
		return '–';
	}
	const date = new Date(text);
	const at = parts(date, utc);
	const today = parts(now(), utc);
	const isToday = at.day === today.day && at.month === today.month && at.year === today.year;
	return h('time', {datetime: text, title: stamp(text), class: 'nowrap'}, `${isToday ? '' : `${at.day} ${at.month}${at.year === today.year ? '' : ` ${at.year}`}, `}${at.hour}:${at.minute}:${at.second}`);
}

// A line that a handler logged begins with a UTC time, which is shown like all others.
export function logLine(line) {
	const match = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/s.exec(line);
	if (!match) {
		return line;
	}
	const at = parts(new Date(match[1]), utc);
	return `${at.day} ${at.month} ${at.hour}:${at.minute}:${at.second}.${(/\.(\d{3})/.exec(match[1]) || [null, '000'])[1]} ${match[2]}`;
}

export function bytes(value) {
	return value < 1e9 ? `${whole.format(value / 1048576)} MB` : `${fine.format(value / 1073741824)} GB`;
}

export function clock(millis, day) {
	const kind = `${utc} ${day}`;
	clocks[kind] ||= new Intl.DateTimeFormat('en', {weekday: day ? 'short' : undefined, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: utc ? 'UTC' : undefined});
	return clocks[kind].format(millis).replace(',', '');
}

// Longer or deeper text is not laid out: nobody reads it, and the spaces would be longer than the text.
const LAID_OUT = 200000;
const DEEPEST = 40;

// Lays JSON out without parsing its numbers, which would round large ones.
export function pretty(text) {
	if (text.length > LAID_OUT) {
		return text;
	}
	try {
		JSON.parse(text);
		return laidOut(text);
	}
	catch (error) {
		return text;
	}
}

function laidOut(text) {
	let depth = 0;
	const line = () => '\n' + '  '.repeat(Math.min(depth, DEEPEST));
	return text.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
		const [first] = token;
		if (first === '"') {
			return token;
		}
		if (/\s/.test(first)) {
			return '';
		}
		if (token.length > 1) {
			return first + token.at(-1);
		}
		depth += '{['.includes(first) ? 1 : '}]'.includes(first) ? -1 : 0;
		return '}]'.includes(first) ? line() + first : first === ':' ? ': ' : first + line();
	});
}

// A property or a method may continue on the next line after a dot or a bracket.
export function breakable(name) {
	return name.split(/(?<=[.(])/).flatMap((part) => [h('wbr'), part]);
}
