import {h, show} from './dom.js';
import {config, read} from './api.js';
import {atLeast, count, exact, jobs as many, now, plural} from './format.js';
import {bulkActions} from './bulk.js';
import {ASK, DONE, actOnJobs, button, empty, heading, jobList, jobTable, link, loads, mayOperate, seldom, toast, unread, waitsUntil} from './parts.js';
import {bar, written} from './query.js';

export const title = 'Jobs';

const TABS = [['', 'All'], ['ready', 'Waiting'], ['scheduled', 'Scheduled'], ['retrying', 'Retrying'], ['parked', 'Parked'], ['running', 'Running'], ['dead', 'Dead'], ['succeeded', 'Succeeded'], ['cancelled', 'Cancelled']];

const TIMES = {ready: ['Due', (job) => job.dueAt], scheduled: ['Scheduled for', (job) => job.dueAt], retrying: ['Retry at', (job) => job.dueAt], parked: ['Until', waitsUntil],
	running: ['Started', (job) => job.run?.startedAt], dead: ['Died', (job) => job.endedAt]};

const ANY = ['Time', (job) => job.endedAt || job.run?.startedAt || job.dueAt];

const WAITING = ['reschedule', 'move', 'cancel', 'delete'];
const ACTS = {ready: WAITING, scheduled: ['retry', ...WAITING], retrying: ['retry', ...WAITING], parked: ['retry', 'cancel', 'delete'], running: ['cancel'], dead: ['retry', 'delete'], succeeded: ['delete'], cancelled: ['delete']};

// An action on all matching jobs applies to those in a state for it.
const STAYS = {cancel: 'Jobs that have ended are not changed.', delete: 'Running jobs are not changed.', reschedule: 'Only jobs that wait are changed.', move: 'Only jobs that wait are changed.'};

const COUNTED = ['ready', 'scheduled', 'retrying', 'parked', 'running', 'dead'];

// The states of jobs that are not due yet.
const COMING = ['scheduled', 'retrying', 'parked', 'scheduled,retrying', 'retrying,scheduled'];

function bounds(time) {
	const at = (hours) => new Date(now() + hours * 3600000).toISOString();
	return {'-1h': {since: at(-1), before: at(0)}, '-24h': {since: at(-24), before: at(0)}, old: {before: at(-24)}, '1h': {since: at(0), before: at(1)}, '24h': {since: at(0), before: at(24)}}[time] || {};
}

export default function jobs(root, {store, params, navigate}) {
	let everything = false;
	let times = {};
	const selected = new Set();
	const state = params.state || '';
	// Of jobs that are not due yet, the soonest comes first.
	const usual = COMING.includes(state) || ['1h', '24h'].includes(params.time) ? 'oldest' : 'newest';
	const order = ['oldest', 'newest'].includes(params.order) ? params.order : usual;
	const searches = Boolean(params.text || params.error);
	const narrowed = searches || Boolean(params.tag || params.lane || params.urgency);
	const query = bar({text: written(params), values, submit: search});
	const list = jobList((page) => read('jobs', {...filter(), newestFirst: order === 'newest', ...page}), render);

	function filter() {
		return {state, queue: params.queue, text: params.text, error: params.error, uniqueKey: params.uniqueKey, tag: params.tag, lane: params.lane, urgency: params.urgency, ...times};
	}

	const load = loads(async () => {
		times = bounds(params.time);
		await list.first();
		const there = new Set(list.jobs.map((job) => job.id));
		[...selected].filter((id) => !there.has(id)).forEach((id) => selected.delete(id));
	}, render);

	const bulk = bulkActions(() => render());

	async function more() {
		everything = false;
		await list.more();
	}

	// How many match, as far as it is known.
	function known() {
		return Math.max(list.count?.number || 0, list.jobs.length);
	}

	function isOpen() {
		return list.count ? !list.count.exact : Boolean(list.next);
	}

	function go(changes) {
		navigate(link(['jobs'], {...params, ...changes}));
	}

	// Opens the job with the typed id, or lists the matching jobs.
	async function search(wanted) {
		const found = wanted.text ? await read('job', {id: wanted.text, optional: 'true'}).catch((refusal) => refusal) : null;
		if (found?.status === 503) {
			return found.message;
		}
		if (found?.id) {
			navigate(link(['job'], {id: wanted.text}));
		}
		else if (wanted.text && !config.payloads) {
			return 'No job has this ID. Only users with the right to see payloads can search by text; use error: to search errors.';
		}
		else {
			navigate(link(['jobs'], {...wanted, order: params.order}));
		}
		return null;
	}

	function values() {
		const queues = store.overview ? store.overview.queues.map((queue) => queue.name) : [];
		return {name: queues, urgency: ['urgent', 'high', 'normal', 'low'], tag: list.jobs ? [...new Set(list.jobs.flatMap((job) => job.tags))].sort() : []};
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
		const found = searches ? {number: known(), exact: !isOpen()} : (await read('jobs', {...wish, limit: 1})).count;
		if (!root.isConnected) {
			return false;
		}
		if (found.number === 0) {
			toast(`None of these jobs can be ${DONE[name]}.`, true);
			return false;
		}
		return actOnJobs(name, {filter: wish}, found.number, 'job', !found.exact, wanted.length < states().length ? STAYS[name] : '');
	}

	async function perform(name) {
		const done = everything ? await onEverything(name).catch((problem) => toast(problem.message, true)) : await actOnJobs(name, {ids: [...selected]}, selected.size);
		if (done) {
			selected.clear();
			everything = false;
			await Promise.all([load(), bulk.load()]);
		}
	}

	// The number of jobs of a state, from the list or else from the overview.
	function counted(value) {
		if (value === state && list.count?.exact) {
			return exact(known());
		}
		const of = store.overview && (params.queue ? store.overview.queues.find((queue) => queue.name === params.queue) : store.overview.totals);
		const fields = value === '' ? [...COUNTED, 'history'] : COUNTED.includes(value) ? [value] : [];
		return of && fields.length && !narrowed && !params.uniqueKey && !params.time ? count(of, ...fields) : null;
	}

	function tabs() {
		return h('nav', {class: 'views', 'aria-label': 'State'}, TABS.map(([value, label]) => h('a', {href: link(['jobs'], {...params, state: value}), 'aria-current': value === state ? 'true' : null, class: value || 'all'},
			label, counted(value) === null ? null : h('span', {class: counted(value) === '0' ? 'count none' : 'count'}, counted(value)))));
	}

	function selection() {
		if (!mayOperate() || selected.size === 0) {
			return null;
		}
		const acts = ['retry', ...WAITING].filter((name) => takes(name).length > 0 && (!everything || name !== 'retry' || state === 'dead'));
		const all = Boolean(list.next) && selected.size === list.jobs.length;
		return h('div', {class: 'selection', role: 'status'},
			h('span', {}, everything ? (isOpen() ? `All matching jobs are selected, ${atLeast(known(), true, 'at least ')}.` : `All ${exact(known())} matching jobs are selected.`) : `${plural(selected.size, 'job')} selected.`),
			all && !everything ? button(isOpen() ? 'Select all matching jobs' : `Select all ${exact(known())} matching jobs`, () => {
				everything = true;
				render();
			}, {class: 'linkish', 'data-act': 'everything'}) : null,
			h('span', {class: 'row end'}, acts.map((name) => button(ASK[name], () => perform(name), {'data-act': name, class: ['cancel', 'delete'].includes(name) ? 'danger' : ''})),
				button('Clear selection', () => {
					selected.clear();
					everything = false;
					render();
				})));
	}

	function render() {
		const part = list.jobs && !list.count && list.next;
		show(root, heading('Jobs', list.jobs ? h('p', {}, many(part ? exact(known()) : counted(state) || atLeast(known(), isOpen())), part ? ' found so far' : null) : null), query, tabs(), bulk.card(), selection(),
			!list.jobs ? unread(load) : list.jobs.length === 0 ? nothing() : table(), list.jobs ? further() : null);
		list.watch(root);
	}

	function table() {
		const [label, time] = Object.hasOwn(TIMES, state) ? TIMES[state] : ANY;
		const box = (label, checked, change, some) => h('input', {type: 'checkbox', 'aria-label': label, checked, 'data-some': some, onchange: (event) => {
			everything = false;
			change(event.target.checked);
			render();
		}});
		const choose = (job, chosen) => chosen ? selected.add(job.id) : selected.delete(job.id);
		const all = selected.size === list.jobs.length;
		return h('div', {class: 'card flush'}, jobTable(list.jobs, {label, time, titled: sorted(label), named: true, stated: true, select: mayOperate() && {
			all: h('th', {scope: 'col', class: 'check'}, h('label', {}, box('Select all jobs shown', all, (chosen) => list.jobs.forEach((job) => choose(job, chosen)), selected.size > 0 && !all), h('span', {}, 'Select all jobs shown'))),
			one: (job) => box(`Select ${job.name} ${job.id}`, selected.has(job.id), (chosen) => choose(job, chosen)),
			has: (job) => selected.has(job.id)
		}}));
	}

	// The only order with an index, in both directions.
	function sorted(label) {
		const other = order === 'newest' ? 'oldest' : 'newest';
		return h('th', {scope: 'col', class: 'sorted', 'aria-sort': order === 'newest' ? 'descending' : 'ascending'},
			h('button', {type: 'button', class: 'sort', title: `Show ${other} first`, onclick: () => go({order: other === usual ? null : other})}, label, h('span', {'aria-hidden': 'true'}, order === 'newest' ? ' ↓' : ' ↑')));
	}

	function nothing() {
		const filtered = Object.keys(params).some((name) => params[name] && name !== 'order');
		const clear = filtered ? h('a', {class: 'button', href: '#/jobs'}, 'Clear filters') : null;
		return list.next ? empty('No matches so far', 'Not all jobs have been searched yet.', clear)
			: filtered ? empty('No matching jobs', 'Try another state, or clear the filters.', clear) : empty('No jobs', 'Jobs appear here as soon as they are enqueued.');
	}

	function further() {
		if (!list.next) {
			return null;
		}
		const searching = !list.count || !list.isFull();
		return h('p', {class: 'part'}, searching ? `Not all jobs have been searched yet, ${order} first. ` : `Showing ${exact(list.jobs.length)} of ${counted(state) || atLeast(known(), isOpen())}. `,
			button(searching ? 'Search more' : 'Load more', more, {'data-act': 'more'}));
	}

	const again = seldom(5500, load);
	render();
	load();
	return {update() {
		bulk.update();
		if (list.pages === 1 && selected.size === 0 && !narrowed) {
			again();
		}
		render();
	}, refresh: load};
}
