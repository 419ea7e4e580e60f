import {h, show} from './dom.js';
import {config, read} from './api.js';
import {atLeast, now, plural, when} from './format.js';
import {actOnJobs, attempts, button, empty, failure, heading, link, loading, mayOperate, seldom, statePill, tags, toast} from './parts.js';

export const title = 'Jobs';

const STATES = [['', 'All'], ['ready', 'Waiting'], ['scheduled', 'Scheduled'], ['retrying', 'Retrying'], ['running', 'Running'], ['dead', 'Dead'], ['succeeded', 'Succeeded'], ['cancelled', 'Cancelled']];

const TIMES = {ready: ['Due', (job) => job.dueAt], scheduled: ['Scheduled for', (job) => job.dueAt], retrying: ['Retry at', (job) => job.dueAt],
	running: ['Started', (job) => job.run && job.run.startedAt], dead: ['Died', (job) => job.diedAt]};

const ANY = ['Time', (job) => job.diedAt || (job.run && job.run.startedAt) || job.dueAt];

const ACTS = {ready: ['cancel', 'delete'], scheduled: ['retry', 'cancel', 'delete'], retrying: ['retry', 'cancel', 'delete'], running: ['cancel'], dead: ['retry', 'delete'], succeeded: ['delete'], cancelled: ['delete']};

// Of all that match, an act means those that are in a state for it.
const STAYS = {cancel: 'Jobs that have ended stay as they are.', delete: 'Running jobs stay as they are.'};

const SPANS = [['', 'Any'], ['-1h', 'Last hour'], ['-24h', 'Last 24 hours'], ['old', 'Older than a day'], ['1h', 'Next hour'], ['24h', 'Next 24 hours']];

function bounds(time) {
	const at = (hours) => new Date(now() + hours * 3600000).toISOString();
	return {'-1h': {since: at(-1), before: at(0)}, '-24h': {since: at(-24), before: at(0)}, old: {before: at(-24)}, '1h': {since: at(0), before: at(1)}, '24h': {since: at(0), before: at(24)}}[time] || {};
}

export default function jobs(root, {store, params, navigate}) {
	let page = null;
	let error = null;
	let everything = false;
	let times = {};
	let pages = 0;
	const selected = new Set();
	const state = params.state || '';
	// What is searched for happened lately, as a rule.
	const order = params.order || (params.text ? 'newest' : 'oldest');

	function filter() {
		return {state, queue: params.queue, text: params.text, key: params.key, tag: params.tag, ...times};
	}

	async function load() {
		try {
			times = bounds(params.time);
			page = await read('jobs', {...filter(), order});
			pages = 1;
			error = null;
			const there = new Set(page.jobs.map((job) => job.id));
			[...selected].filter((id) => !there.has(id)).forEach((id) => selected.delete(id));
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	// The page that follows is added to those that are shown.
	async function more() {
		try {
			const shown = page;
			const found = await read('jobs', {...filter(), order, after: shown.next});
			if (page === shown) {
				const there = new Set(shown.jobs.map((job) => job.id));
				page = {...shown, jobs: [...shown.jobs, ...found.jobs.filter((job) => !there.has(job.id))], next: found.next};
				pages++;
			}
			everything = false;
		}
		catch (problem) {
			toast(problem.message, true);
		}
		render();
	}

	// How many match, or how many of them are known of.
	function known() {
		return page.count === undefined ? page.jobs.length : Math.max(page.count, page.jobs.length);
	}

	function isOpen() {
		return page.count === undefined ? Boolean(page.next) : !page.exact;
	}

	function go(changes) {
		navigate(link(['jobs'], {...params, ...changes}));
	}

	// The states selected here, or all.
	function states() {
		return state ? state.split(',') : Object.keys(ACTS);
	}

	function takes(name) {
		return states().filter((one) => (ACTS[one] || []).includes(name));
	}

	async function onEverything(name) {
		const wanted = takes(name);
		const wish = {...filter(), state: wanted.join(',')};
		const found = params.text ? {count: known(), exact: !isOpen()} : await read('jobs', {...wish, limit: 1});
		if (!root.isConnected) {
			return false;
		}
		if (found.count === 0) {
			toast('None of them is in a state that allows it.', true);
			return false;
		}
		return actOnJobs(name, {filter: wish}, found.count, 'job', !found.exact, wanted.length < states().length ? STAYS[name] : '');
	}

	async function perform(name) {
		const done = everything ? await onEverything(name).catch((problem) => toast(problem.message, true)) : await actOnJobs(name, {ids: [...selected]}, selected.size);
		if (done) {
			selected.clear();
			everything = false;
			await load();
		}
	}

	function form() {
		return h('form', {class: 'filters', onsubmit: async (event) => {
			event.preventDefault();
			const fields = new FormData(event.target);
			const text = fields.get('text').trim();
			const found = text ? await read('job', {id: text}).catch(() => null) : null;
			if (found) {
				navigate(link(['job'], {id: text}));
				return;
			}
			go({queue: fields.get('queue'), text, key: (fields.get('key') || '').trim(), tag: fields.get('tag').trim(), order: fields.get('order') === order ? params.order : fields.get('order'), time: fields.get('time')});
		}},
		h('div', {class: 'full'}, h('div', {class: 'segments wrap', role: 'group', 'aria-label': 'State'}, STATES.map(([value, label]) =>
			h('button', {type: 'button', 'aria-pressed': String(value === state), onclick: () => go({state: value})}, label)))),
		h('label', {}, h('span', {}, 'Queue'), h('select', {name: 'queue', onchange: (event) => event.target.form.requestSubmit()}, h('option', {value: '', selected: !params.queue}, 'All'),
			names().map((name) => h('option', {value: name, selected: name === params.queue}, name)))),
		h('label', {class: 'wide'}, h('span', {}, config.payloads ? 'Id, or text in an error or payload' : 'Id'), h('input', {type: 'search', name: 'text', 'data-search': true, value: params.text || '', placeholder: 'Search'})),
		config.payloads ? h('label', {}, h('span', {}, 'Unique key'), h('input', {type: 'search', name: 'key', value: params.key || '', autocomplete: 'off'})) : null,
		h('label', {}, h('span', {}, 'Tag'), h('input', {type: 'search', name: 'tag', value: params.tag || '', autocomplete: 'off'})),
		h('label', {}, h('span', {}, 'Time'), h('select', {name: 'time', onchange: (event) => event.target.form.requestSubmit()}, SPANS.map(([value, label]) =>
			h('option', {value, selected: value === (params.time || '')}, label)))),
		h('label', {}, h('span', {}, 'Order'), h('select', {name: 'order', onchange: (event) => event.target.form.requestSubmit()}, ['oldest', 'newest'].map((value) =>
			h('option', {value, selected: value === order}, value === 'oldest' ? 'Oldest first' : 'Newest first')))),
		h('button', {type: 'submit', class: 'primary'}, 'Search'));
	}

	function names() {
		const known = store.overview ? store.overview.queues.map((queue) => queue.name) : [];
		return params.queue && !known.includes(params.queue) ? [params.queue, ...known] : known;
	}

	function bar() {
		if (!mayOperate() || selected.size === 0) {
			return null;
		}
		const acts = ['retry', 'cancel', 'delete'].filter((name) => takes(name).length > 0 && (!everything || name !== 'retry' || state === 'dead'));
		const all = Boolean(page.next) && selected.size === page.jobs.length;
		return h('div', {class: 'selection', role: 'status'},
			h('span', {}, everything ? (isOpen() ? `All that match are selected, at least ${atLeast(known())}.` : `All ${atLeast(known())} that match are selected.`) : `${plural(selected.size, 'job')} selected.`),
			all && !everything ? button(isOpen() ? 'Select all that match' : `Select all ${atLeast(known())} that match`, () => {
				everything = true;
				render();
			}, {class: 'linkish', 'data-act': 'everything'}) : null,
			h('span', {class: 'row end'}, acts.map((name) => button({retry: 'Retry', cancel: 'Cancel', delete: 'Delete'}[name], () => perform(name), {'data-act': name, class: name === 'retry' ? 'primary' : 'danger'})),
				button('Clear', () => {
					selected.clear();
					everything = false;
					render();
				})));
	}

	function render() {
		const all = page && page.jobs.length > 0 && selected.size === page.jobs.length;
		const [label, time] = Object.hasOwn(TIMES, state) ? TIMES[state] : ANY;
		const select = mayOperate();
		show(root, heading('Jobs', page ? h('p', {}, `${atLeast(known(), isOpen())} ${known() === 1 && !isOpen() ? 'job' : 'jobs'}`, page.count === undefined && page.next ? ' found so far' : null) : null), form(), bar(),
			error && !page ? failure(error, load) : !page ? loading() : page.jobs.length === 0 ? nothing()
				: h('div', {class: 'card flush'}, h('table', {class: 'cards jobs'},
					h('thead', {}, h('tr', {}, select ? h('th', {scope: 'col', class: 'check'}, h('label', {}, h('input', {type: 'checkbox', 'aria-label': 'Select all that are shown', checked: all, 'data-some': selected.size > 0 && !all, onchange: (event) => {
						everything = false;
						page.jobs.forEach((job) => event.target.checked ? selected.add(job.id) : selected.delete(job.id));
						render();
					}}), h('span', {}, 'Select all that are shown'))) : null, ['Name', 'State', config.payloads ? 'Arguments' : null, 'Attempt', label, 'Error or check-in'].filter((name) => name).map((name) => h('th', {scope: 'col', class: name === 'Attempt' ? 'num' : ''}, name)))),
					h('tbody', {}, page.jobs.map((job) => row(job, label, time, select))))),
			page ? further() : null);
	}

	function nothing() {
		const filtered = Object.keys(params).some((name) => params[name] && name !== 'order');
		const clear = filtered ? button('Clear the filters', () => navigate('#/jobs')) : null;
		return page.next ? empty('No job found so far', 'Only some of the jobs have been searched.', clear)
			: filtered ? empty('No job matches', 'Look for other states, or clear the filters.', clear) : empty('There is no job', 'Jobs appear here as soon as they are enqueued.');
	}

	// A search reads many jobs and may stop before it has found a page of them.
	function further() {
		if (!page.next) {
			return null;
		}
		const searching = page.count === undefined || page.jobs.length < pages * 50;
		return h('p', {class: 'part'}, searching ? `Searched ${pages === 1 ? 'a part' : `${pages} parts`} of what is selected, ${order} first. ` : null,
			button(searching ? 'Search further' : 'Load more', more, {'data-act': 'more'}));
	}

	function row(job, label, time, select) {
		return h('tr', {'data-key': job.id, class: selected.has(job.id) ? 'selected' : ''},
			select ? h('td', {class: 'check'}, h('input', {type: 'checkbox', 'aria-label': `Select ${job.name} ${job.id}`, checked: selected.has(job.id), onchange: (event) => {
				everything = false;
				event.target.checked ? selected.add(job.id) : selected.delete(job.id);
				render();
			}})) : null,
			h('td', {class: 'name'}, h('a', {href: link(['job'], {id: job.id})}, job.name), h('small', {class: 'id'}, job.id), tags(job)),
			h('td', {'data-label': 'State'}, statePill(job)),
			config.payloads ? h('td', {'data-label': 'Arguments'}, h('code', {class: 'args'}, job.args)) : null,
			h('td', {'data-label': 'Attempt', class: 'num'}, attempts(job)),
			h('td', {'data-label': label, class: 'nowrap'}, when(time(job))),
			job.run && job.run.checkIn ? h('td', {'data-label': 'Check-in', class: 'report'}, job.run.checkIn) : h('td', {'data-label': 'Error', class: 'error'}, job.error || ''));
	}

	const again = seldom(5500, load);
	render();
	load();
	return {update() {
		if (page && pages === 1 && selected.size === 0 && !params.text && !params.tag) {
			again();
		}
	}, refresh: load};
}
