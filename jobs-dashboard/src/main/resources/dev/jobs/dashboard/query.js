// The query language for jobs and its search bar: name:a-job state:dead tag:urgent unique:"order 7"
// error:timeout time:last-day and plain text.

import {h} from './dom.js';
import {config, read as ask} from './api.js';
import {link, mayOperate, pauseQueue, toast} from './parts.js';

const STATES = {waiting: 'ready', scheduled: 'scheduled', retrying: 'retrying', parked: 'parked', running: 'running', dead: 'dead', succeeded: 'succeeded', cancelled: 'cancelled'};
const TIMES = {'last-hour': '-1h', 'last-day': '-24h', 'older-than-a-day': 'old', 'next-hour': '1h', 'next-day': '24h'};

// The filters, each with the parameter that it sets and its description.
const FILTERS = {
	name: ['queue', 'job name, the same as its queue'],
	state: ['state', 'waiting, scheduled, retrying, running, dead, …'],
	tag: ['tag', 'a tag'],
	urgency: ['urgency', 'urgent, high, normal or low'],
	lane: ['lane', 'a lane of a queue'],
	error: ['error', 'text of an error'],
	time: ['time', 'last-hour, last-day, …'],
	...(config.payloads ? {unique: ['uniqueKey', 'unique key held by the job']} : {})
};

const TOKEN = /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/g;
const MOST = 8;

function keyOf(map, value) {
	return Object.keys(map).find((key) => map[key] === value);
}

function quoted(value) {
	return /^[^\s"\\]+$/.test(value) ? value : inQuotes(value);
}

function inQuotes(value) {
	return `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function statesOf(value) {
	return value.split(',').map((state) => keyOf(STATES, state) || state).join(',');
}

// The text in the bar for the parameters of an address.
export function written(params) {
	const parts = Object.entries(FILTERS).filter(([, [param]]) => params[param]).map(([name, [param]]) => {
		const value = params[param];
		return `${name}:${quoted(name === 'state' ? statesOf(value) : name === 'time' ? keyOf(TIMES, value) || value : value)}`;
	});
	if (params.text) {
		const {params: bare} = read(params.text);
		parts.push(bare && bare.text === params.text ? params.text : inQuotes(params.text));
	}
	return parts.join(' ');
}

// The parameters of a typed text, or its mistake.
export function read(text) {
	const params = {};
	const plain = [];
	for (const [token, name, within, bare] of text.matchAll(TOKEN)) {
		const value = within !== undefined ? within.replace(/\\(.)/g, '$1') : bare;
		if (!name || bare?.startsWith('//')) {
			const filter = /^([a-z]+):$/.exec(token);
			if (filter && Object.hasOwn(FILTERS, filter[1])) {
				return {problem: `“${filter[1]}:” needs a value: ${FILTERS[filter[1]][1]}.`};
			}
			plain.push(name ? token : value);
			continue;
		}
		const problem = set(params, name, value);
		if (problem) {
			return {problem};
		}
	}
	if (plain.length) {
		params.text = plain.join(' ');
	}
	return {params};
}

function set(params, name, value) {
	if (!Object.hasOwn(FILTERS, name)) {
		return name === 'unique' ? 'Only users with the right to see payloads can search by unique key.'
			: `There is no filter “${name}:”. Use ${Object.keys(FILTERS).join(', ')}, or put the text in quotes to search for it.`;
	}
	const [param] = FILTERS[name];
	if (params[param]) {
		return `“${name}:” can be used only once.`;
	}
	if (name === 'state') {
		const states = value.split(',').map((state) => Object.hasOwn(STATES, state) ? STATES[state] : Object.values(STATES).includes(state) ? state : null);
		if (states.includes(null)) {
			return `“${value}” is not a state. Use ${Object.keys(STATES).join(', ')}.`;
		}
		value = states.join(',');
	}
	else if (name === 'time') {
		if (!Object.hasOwn(TIMES, value)) {
			return `“${value}” is not a time. Use ${Object.keys(TIMES).join(', ')}.`;
		}
		value = TIMES[value];
	}
	params[param] = value;
	return null;
}

// The suggestions for the place of the caret. Values are those that the page knows.
export function complete(text, caret, values) {
	const from = text.lastIndexOf(' ', caret - 1) + 1;
	const word = text.slice(from, caret);
	const [, name, part] = /^([a-z]+):(.*)$/.exec(word) || [null, null, word];
	const options = [];
	if (name) {
		const all = {state: Object.keys(STATES), time: Object.keys(TIMES)}[name] || values[name] || [];
		all.filter((value) => value.toLowerCase().includes(part.toLowerCase()))
			.forEach((value) => options.push({insert: `${name}:${quoted(value)} `, label: `${name}:${value}`}));
	}
	else {
		Object.entries(FILTERS).filter(([filter]) => filter.startsWith(part)).forEach(([filter, [, about]]) => options.push({insert: `${filter}:`, label: `${filter}:`, about}));
		if (part) {
			Object.keys(STATES).filter((state) => state.startsWith(part)).forEach((state) => options.push({insert: `state:${state} `, label: `state:${state}`}));
			(values.name || []).filter((it) => it.toLowerCase().includes(part.toLowerCase())).forEach((it) => options.push({insert: `name:${quoted(it)} `, label: `name:${it}`}));
		}
	}
	return {from, options: options.slice(0, MOST)};
}

// A field with a list of suggestions, which is drawn as one types.
function combobox({field, list, suggest, accept, first}) {
	let options = [];
	let active = -1;

	function look() {
		options = suggest();
		active = first && options.length ? 0 : -1;
		draw();
	}

	function draw() {
		list.replaceChildren(...options.map((option, i) => h('li', {id: `${list.id}-${i}`, role: 'option', 'aria-selected': String(i === active), onclick: () => accept(options[i])}, h('span', {}, option.label), option.about ? h('small', {}, option.about) : null)));
		list.hidden = options.length === 0;
		field.setAttribute('aria-expanded', String(options.length > 0));
		active >= 0 ? field.setAttribute('aria-activedescendant', `${list.id}-${active}`) : field.removeAttribute('aria-activedescendant');
		if (active >= 0) {
			list.children[active].scrollIntoView({block: 'nearest'});
		}
	}

	function close() {
		options = [];
		active = -1;
		draw();
	}

	field.oninput = look;
	field.onkeydown = (event) => {
		const {key} = event;
		if (key === 'Escape' && options.length && !first) {
			event.preventDefault();
			close();
		}
		else if ((key === 'ArrowDown' || key === 'ArrowUp') && options.length) {
			event.preventDefault();
			active = key === 'ArrowDown' ? (active + 1) % options.length : (active <= 0 ? options.length : active) - 1;
			draw();
		}
		else if ((key === 'Enter' || key === 'Tab') && active >= 0) {
			event.preventDefault();
			accept(options[active]);
		}
	};
	field.addEventListener('focus', look);
	field.addEventListener('click', look);
	field.addEventListener('blur', close);
	list.addEventListener('mousedown', (event) => event.preventDefault());
	return {look, close};
}

// The bar. It is created once for a page, so typed text survives each drawing.
export function bar({text, values, submit}) {
	let from = 0;
	const list = h('ul', {id: 'query-options', role: 'listbox', 'aria-label': 'Suggestions', hidden: true});
	const problem = h('p', {id: 'query-problem', class: 'problem', role: 'alert', hidden: true});
	const field = h('input', {type: 'text', id: 'query', 'data-search': true, role: 'combobox', 'aria-label': 'Search jobs', 'aria-expanded': 'false', 'aria-controls': 'query-options', 'aria-autocomplete': 'list', 'aria-describedby': 'query-problem',
		autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', placeholder: config.payloads ? 'Search by name:, state:, tag:, key:, error:, ID or text' : 'Search by name:, state:, tag:, error: or ID', value: text});
	const form = h('form', {class: 'query', role: 'search', 'data-key': 'query', onsubmit: (event) => {
		event.preventDefault();
		box.close();
		send();
	}}, h('div', {class: 'query-box'}, field, list), h('button', {type: 'submit'}, 'Search'), problem);

	function complain(text) {
		problem.textContent = text || '';
		problem.hidden = !text;
		text ? field.setAttribute('aria-invalid', 'true') : field.removeAttribute('aria-invalid');
	}

	async function send() {
		const {params, problem: wrong} = read(field.value);
		complain(wrong || await submit(params));
	}

	function suggest() {
		const found = complete(field.value, field.selectionStart, values());
		from = found.from;
		return found.options;
	}

	const box = combobox({field, list, suggest, accept: ({insert}) => {
		const end = /^\S*\s?/.exec(field.value.slice(field.selectionStart))[0].length + field.selectionStart;
		field.setRangeText(insert, from, end, 'end');
		complain(null);
		box.look();
	}});
	return form;
}

// The palette: opens a page or acts by a part of its name.
export function palette({store, navigate, refresh, commands}) {
	const dialog = h('dialog', {class: 'dialog palette', 'aria-label': 'Go to or act'});
	const list = h('ul', {id: 'palette-options', role: 'listbox', 'aria-label': 'Matches', hidden: true});
	const field = h('input', {type: 'text', id: 'palette', role: 'combobox', 'aria-label': 'Page, queue, job ID or action', 'aria-expanded': 'false', 'aria-controls': 'palette-options', 'aria-autocomplete': 'list',
		autocomplete: 'off', spellcheck: 'false', placeholder: 'Page, queue, job ID or action'});
	const close = () => {
		dialog.close();
		dialog.remove();
	};

	// Of very many queues the overview has only some.
	const known = store.overview ? store.overview.queues : [];
	let more = [];
	field.addEventListener('input', async () => {
		const name = field.value.trim().split(/\s+/).at(-1);
		if (name && store.overview && known.length < store.overview.queueCount) {
			more = await ask('queues', {name, limit: 10}).then((found) => found.queues, () => []);
			dialog.open && box.look();
		}
	});

	async function open(id) {
		const job = await ask('job', {id, optional: 'true'}).catch((error) => error);
		job.id ? navigate(link(['job'], {id})) : toast(job.message || `No job has the ID ${id}.`, true);
	}

	function suggest() {
		const text = field.value.trim();
		const fits = (label) => text.toLowerCase().split(/\s+/).every((part) => label.toLowerCase().includes(part));
		const queues = [...new Map([...known, ...more].map((queue) => [queue.name, queue])).values()];
		const option = (label, about, run) => ({label, about, run});
		return [...commands.map(([label, run]) => option(label, '', run)),
			...text ? queues.map((queue) => option(queue.name, 'queue', () => navigate(link(['queues', queue.name])))) : [],
			...text && mayOperate() ? queues.map((queue) => option(`${queue.paused ? 'Resume' : 'Pause'} ${queue.name}`, 'queue', () => pauseQueue(queue, refresh))) : []]
			.filter(({label}) => fits(label)).slice(0, 10)
			.concat(/^\S{8,}$/.test(text) ? option(`Open job ${text}`, 'ID', () => open(text)) : [], text && config.payloads ? option(`Search jobs for ${text}`, '', () => navigate(link(['jobs'], {text}))) : []);
	}

	const box = combobox({field, list, suggest, first: true, accept: ({run}) => {
		close();
		run();
	}});
	dialog.addEventListener('cancel', close);
	dialog.append(field, list);
	document.body.append(dialog);
	dialog.showModal();
	field.focus();
}
