import {h, show} from './dom.js';
import {read} from './api.js';
import {ago, atLeast, breakable, count, exact, jobs as many, now, plural, span, when} from './format.js';
import {past, sparkline} from './past.js';
import {crumbs as path, empty, head, heading, instead, jobTable, link, loading, nameOfNumber, numberButton, pauseButton, seldom, setBy, settingOf, waitsUntil, workerLink} from './parts.js';

export const title = 'Queues';

const STEP = 50;

export default function queues(root, context) {
	return context.args.length ? one(root, context, context.args[0]) : all(root, context);
}

function badges(queue) {
	return [queue.paused ? h('span', {class: 'pill paused', title: `By ${setBy(queue.settings.paused)}`}, 'Paused') : null,
		queue.served ? null : h('span', {class: 'pill unserved', title: 'No live worker has a handler for this queue'}, 'No worker')];
}

function limit(queue) {
	return queue.limitAmongWorkers > 0 ? exact(queue.limitAmongWorkers) : nothing();
}

function wait(queue) {
	return queue.oldestReady ? span(Math.max(0, now() - Date.parse(queue.oldestReady))) : nothing();
}

function nothing() {
	return h('span', {class: 'zero'}, '–');
}

function trend({succeeded}) {
	const sum = succeeded.reduce((a, b) => a + b, 0);
	return sum ? sparkline(succeeded, `Succeeded in the last 30 minutes: ${sum}`) : nothing();
}

function cell(label, queue, field) {
	const value = queue[field];
	return h('td', {class: 'num', 'data-label': label}, value > 0 ? h('a', {class: field === 'dead' ? 'bad' : null, href: link(['jobs'], {state: field, queue: queue.name})}, count(queue, field)) : h('span', {class: value ? '' : 'zero'}, count(queue, field)));
}

const LATE = 300000;
const names = new Intl.Collator('en', {numeric: true});
const waiting = (queue) => queue.ready + queue.scheduled + queue.retrying;
const inTrouble = (queue) => queue.dead > 0 || waiting(queue) > 0 && !queue.served || queue.ready > 0 && queue.paused || queue.oldestReady && now() - Date.parse(queue.oldestReady) > LATE;
const FILTERS = [['', 'All', () => true], ['dead', 'Dead', (queue) => queue.dead > 0], ['paused', 'Paused', (queue) => queue.paused], ['unserved', 'No worker', (queue) => !queue.served]];
const COLUMNS = [['Name', 'name'], null, ['Waiting', 'ready'], ['Longest wait', 'oldestReady'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying'], ['Parked', 'parked'], ['Running', 'running'], ['Limit'], ['Dead', 'dead'], ['Last 30 min'], null];

// The highest number comes first, or the first name. Unsorted, queues in trouble come first, then those that a worker serves, then those in which the most jobs wait. The server orders very many queues in the same way.
function inOrder(sort) {
	const field = sort.replace('-', '');
	const sign = sort.startsWith('-') ? -1 : 1;
	const order = !field ? (a, b) => inTrouble(b) - inTrouble(a) || b.served - a.served || waiting(b) - waiting(a)
		: field === 'name' ? (a, b) => names.compare(a.name, b.name)
			: field === 'oldestReady' ? (a, b) => (Date.parse(a.oldestReady) || Infinity) - (Date.parse(b.oldestReady) || Infinity) || 0 : (a, b) => b[field] - a[field];
	return (a, b) => sign * order(a, b) || names.compare(a.name, b.name);
}

function all(root, {store, params, refresh}) {
	let text = params.name || '';
	let found = null;
	// More rows are drawn as one scrolls.
	let known = 0;
	let drawn = STEP;
	const end = h('div', {class: 'end-of-list', 'data-key': 'end', 'aria-hidden': 'true'});
	new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting) && drawn < known) {
			drawn += STEP;
			some() ? ask() : render();
		}
	}, {rootMargin: '600px'}).observe(end);
	// Of very many queues the overview has only some, so the page requests them.
	const some = () => store.overview && store.overview.queueCount > store.overview.queues.length;
	async function ask() {
		const wanted = {name: text, only: params.only, sort: params.sort, limit: drawn};
		const result = some() ? await read('queues', wanted).catch(() => found) : null;
		if (wanted.name === text && wanted.only === params.only && wanted.sort === params.sort) {
			found = result;
			render();
		}
	}
	const again = seldom(5500, ask);
	function change(wanted) {
		Object.assign(params, wanted);
		drawn = STEP;
		window.history.replaceState(null, '', link(['queues'], params));
		some() ? ask() : render();
	}
	function search() {
		return h('input', {type: 'search', 'data-search': true, 'data-key': 'search', placeholder: 'Filter by name', 'aria-label': 'Filter queues by name', value: text, oninput: (event) => {
			text = event.target.value;
			change({name: text});
		}});
	}
	function chips(queues) {
		return h('div', {class: 'segments', role: 'group', 'aria-label': 'Which queues', 'data-key': 'which'}, FILTERS.map(([only, label, test]) =>
			h('button', {type: 'button', 'data-only': only || 'all', 'aria-pressed': String(only === (params.only || '')), onclick: () => change({only})}, label, some() || !only ? null : h('small', {}, ` ${exact(queues.filter(test).length)}`))));
	}
	function column(name) {
		const [label, field] = name || [];
		const cls = name && ['Name', 'Last 30 min'].includes(label) ? '' : 'num';
		if (!field) {
			return name ? h('th', {scope: 'col', class: cls}, label) : h('td', {});
		}
		const on = (params.sort || '').replace('-', '') === field;
		const turned = on && params.sort === field;
		return h('th', {scope: 'col', class: `${cls} sorted`, 'aria-sort': !on ? null : (field === 'name') === turned ? 'ascending' : 'descending'},
			h('button', {type: 'button', class: 'sort', 'data-sort': field, title: `Sort by ${label.toLowerCase()}`, onclick: () => change({sort: !on ? field : turned ? `-${field}` : ''})}, label, on ? h('span', {'aria-hidden': 'true'}, (field === 'name') === turned ? ' ↑' : ' ↓') : null));
	}
	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Queues', search()), loading());
			return;
		}
		const test = FILTERS.find(([only]) => only === (params.only || ''))[2];
		const shown = (found ? found.queues : state.queues).filter((queue) => test(queue) && queue.name.toLowerCase().includes(text.toLowerCase()));
		const total = found ? found.count : some() ? state.queueCount : shown.length;
		known = total;
		if (!found) {
			shown.sort(inOrder(params.sort || ''));
		}
		show(root, heading('Queues', h('p', {}, `${plural(state.queueCount, 'queue')}, ${many(count(state.totals, 'ready'))} waiting`), chips(state.queues), search()),
			shown.length === 0 ? empty(...(state.queues.length ? ['No matching queues', 'No queue has this name and is in this state.'] : ['No queues yet', 'A queue appears with its first job.'])) : h('div', {class: 'card flush'}, h('table', {class: 'cards dense queues'},
				h('thead', {}, h('tr', {}, COLUMNS.map(column))),
				h('tbody', {}, shown.slice(0, drawn).map((queue) => h('tr', {'data-key': queue.name},
					h('td', {class: 'name', title: queue.name}, h('a', {href: link(['queues', queue.name])}, queue.name)), h('td', {class: 'badges'}, badges(queue)),
					cell('Waiting', queue, 'ready'),
					h('td', {class: 'num', 'data-label': 'Longest wait'}, wait(queue)),
					cell('Scheduled', queue, 'scheduled'),
					cell('Retrying', queue, 'retrying'),
					cell('Parked', queue, 'parked'),
					cell('Running', queue, 'running'),
					h('td', {class: 'num', 'data-label': 'Limit'}, limit(queue)),
					cell('Dead', queue, 'dead'),
					h('td', {'data-label': 'Last 30 min'}, trend(queue)),
					h('td', {class: 'acts'}, pauseButton(queue, refresh))))))), end,
			shown.length && total > Math.min(shown.length, drawn) ? h('p', {class: 'muted'}, `Showing ${exact(Math.min(shown.length, drawn))} of ${exact(total)} queues. More follow as you scroll.`) : null);
	}
	render();
	ask();
	return {update() {
		render();
		again();
	}, refresh: ask};
}

// The tabs of a queue's page, and the time listed with its jobs.
const TABS = [['Running', 'running', 'Started'], ['Waiting', 'ready', 'Due'], ['Scheduled', 'scheduled', 'Scheduled for'], ['Retrying', 'retrying', 'Retry at'], ['Parked', 'parked', 'Until'], ['Dead', 'dead', 'Died'], ['Succeeded', 'succeeded', 'Created'], ['Cancelled', 'cancelled', 'Created']];
// The overview has no numbers for these.
const KEPT = ['succeeded', 'cancelled'];
const PAGE = 20;
// On a narrow screen jobs come before charts.
const narrow = matchMedia('(max-width: 959px)');
// The settings of operators, and those of the handler that they replace.
const OPERATORS = {limit: 'max-concurrency', weight: 'priority', attempts: 'max-attempts', rate: 'rate', 'lanes-rate': 'lanes.rate'};
const PLACES = {property: 'Property', annotation: 'Annotation', 'payload-type': 'Payload type', defaults: 'Default property', operator: 'Operator, at run time', customizer: 'HandlerCustomizer', 'built-in': 'Built in'};

function one(root, {store, params, refresh}, name) {
	const charts = past({path: ['queues', name], params, queue: name, redraw: render});
	let asked = null;
	let details = null;
	let lanes = null;
	let jobs = null;
	let loadedAt = 0;
	let opened = null;

	async function load(force) {
		if (force || Date.now() - loadedAt > 5500) {
			loadedAt = Date.now();
			asked = isInOverview() ? null : await read('queues', {name}).catch(() => asked);
			render();
			const tab = tabOf(find());
			const [found, list] = await Promise.all([read('queue', {name}).catch(() => details), read('jobs', {state: tab, queue: name, limit: PAGE, newestFirst: !['ready', 'scheduled', 'retrying', 'parked'].includes(tab)}).catch(() => null)]);
			details = found;
			if (tab === tabOf(find())) {
				jobs = list ? {tab, list: list.jobs, more: !!list.next} : jobs;
			}
			render();
		}
	}

	// Counting lanes takes longer than other reads.
	async function loadLanes() {
		lanes = await read('lanes', {queue: name}).catch(() => lanes);
		render();
	}
	const lanesAgain = seldom(15000, loadLanes);

	// Whether the overview has the queue, counted as far as its lists, and its workers. Of very many queues it has only some.
	function isInOverview() {
		const state = store.overview;
		const queue = state?.queues.find((it) => it.name === name);
		return state && (queue ? !queue.atLeast?.length : state.queueCount === state.queues.length)
			&& state.workers.every((worker) => (worker.info?.pools || []).every((pool) => pool.queueCount === pool.queues.length));
	}

	function find() {
		return [asked, store.overview].flatMap((it) => it?.queues || []).find((it) => it.name === name);
	}

	// The chosen tab, or else the first one that had jobs when the page was opened: it does not change by
	// itself while one reads.
	function tabOf(queue) {
		if (!opened && queue) {
			opened = (TABS.find(([, field]) => queue[field] > 0) || TABS[1])[1];
		}
		const chosen = TABS.find(([, field]) => field === params.tab);
		return chosen ? chosen[1] : opened || TABS[1][1];
	}

	function choose(tab) {
		params.tab = tab;
		jobs = null;
		window.history.replaceState(null, '', link(['queues', name], params));
		render();
		load(true);
	}

	function crumbs(...rest) {
		return [path('Queues', '#/queues', name), heading(name, ...rest)];
	}

	function render() {
		const state = store.overview;
		if (!state || !isInOverview() && !asked) {
			show(root, crumbs(), loading());
			return;
		}
		const queue = find();
		if (!queue) {
			show(root, crumbs(), empty('Queue not found', 'It may have been removed.'));
			return;
		}
		const workers = state.workers.filter((worker) => asked ? asked.workers.includes(worker.id) : (worker.info?.pools || []).some((pool) => pool.queues.includes(name)));
		const rest = [schedules(), settings(queue), servers(workers)];
		show(root, crumbs(...badges(queue), charts.picker(), h('div', {class: 'row'}, Object.keys(OPERATORS).map((kind) => numberButton(kind, queue, refresh)), pauseButton(queue, refresh))), reason(queue), numbers(queue),
			narrow.matches ? [list(queue), laneList(), charts.root, rest] : [charts.root, h('div', {class: 'columns wide-first', 'data-key': 'columns'}, h('div', {'data-key': 'main'}, list(queue), laneList()), h('div', {}, rest))]);
	}

	function reason(queue) {
		const next = details?.next;
		return next?.why && queue.ready ? h('p', {class: 'why', 'data-key': 'why'}, h('a', {href: link(['job'], {id: next.id})}, 'Next job'), `: ${next.why}`) : null;
	}

	function numbers(queue) {
		return h('section', {class: 'tiles compact', 'aria-label': 'Figures', 'data-key': 'figures'},
			[['Waiting', 'ready'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying'], ['Parked', 'parked'], ['Running', 'running'], ['Dead', 'dead']].map(([label, field]) => h('a', {class: `tile ${queue[field] === 0 ? 'none' : field === 'dead' ? 'bad' : field === 'retrying' ? 'warn' : ''}`, href: link(['jobs'], {state: field, queue: name})}, h('span', {class: 'label'}, label), h('strong', {}, count(queue, field)),
				field === 'running' ? h('span', {class: 'detail'}, limited(queue)) : null)),
			h('div', {class: 'tile'}, h('span', {class: 'label'}, 'Longest wait'), h('strong', {}, wait(queue))));
	}

	function limited(queue) {
		return queue.limit >= 0 ? `limit ${exact(queue.limit)}, set by ${setBy(queue.settings.limit)}` : queue.limitAmongWorkers > 0 ? `limit ${exact(queue.limitAmongWorkers)}, set by the workers` : 'no limit';
	}

	function list(queue) {
		const tab = tabOf(queue);
		const number = (field) => KEPT.includes(field) ? '' : count(queue, field);
		const label = TABS.find(([, field]) => field === tab);
		return h('section', {class: 'card flush', 'data-key': 'jobs', 'aria-label': 'Jobs of this queue'},
			h('div', {class: 'tabs', role: 'group', 'aria-label': 'State'}, TABS.map(([text, field]) => h('button', {type: 'button', 'data-tab': field, 'aria-pressed': String(field === tab), onclick: () => choose(field)}, text, ' ', h('span', {class: `tab-count ${field === 'dead' && queue.dead ? 'bad' : ''}`}, number(field))))),
			!jobs || jobs.tab !== tab ? loading() : jobs.list.length === 0 ? empty(`No ${label[0].toLowerCase()} jobs`, KEPT.includes(tab) ? 'Jobs that succeeded or were cancelled are kept only if keep-history is set.' : 'Jobs in this state appear here.')
				: table(label, jobs.list),
			jobs?.tab === tab && jobs.more ? h('p', {class: 'foot'}, h('a', {href: link(['jobs'], {state: tab, queue: name})}, `View all ${label[0].toLowerCase()} jobs`)) : null);
	}

	function table([, field, label], list) {
		const time = (job) => field === 'running' ? job.run?.startedAt : field === 'dead' ? job.endedAt : KEPT.includes(field) ? job.createdAt : field === 'parked' ? waitsUntil(job) : job.dueAt;
		return jobTable(list, {label, time, stepped: field === 'running'});
	}

	// The busiest lanes come first, then others that are blocked, then those that have settings.
	function laneList() {
		const all = lanes ? [...new Map([...lanes.busiest, ...lanes.blocked, ...lanes.withSettings].map((lane) => [lane.name, lane])).values()] : [];
		return all.length ? h('section', {class: 'card flush', 'data-key': 'lanes', 'aria-label': 'Lanes of this queue'}, h('h2', {}, 'Lanes'), h('table', {class: 'cards lanes'},
			head(['Lane', 'Waiting', 'Longest wait', 'Running', 'Limit', 'Weight', null], (i) => i > 0 && i < 6),
			h('tbody', {}, all.map((lane) => h('tr', {'data-key': lane.name}, laneCells(lane)))))) : null;
	}

	// What keeps the jobs of a lane from starting, the most important first.
	function obstacle({heldBy, heldBackUntil, nextPermitAt, full, waiting, settings: {paused}}) {
		const lasts = (time) => time && Date.parse(time) > now();
		return paused ? h('span', {class: 'pill paused', title: `By ${setBy(paused)}`}, 'Paused')
			: heldBy ? h('a', {class: 'pill unserved', href: link(['job'], {id: heldBy}), title: `Job ${heldBy} has begun and must end before another one starts`}, `Held by job ${heldBy.length > 12 ? `…${heldBy.slice(-6)}` : heldBy}`)
				: lasts(heldBackUntil) ? h('span', {class: 'pill paused', title: 'A handler has held it back'}, `Held back for ${span(Date.parse(heldBackUntil) - now())}`)
					: full ? h('span', {class: 'pill unserved', title: 'As many of its jobs run as may'}, 'Full')
						: lasts(nextPermitAt) && waiting.number ? h('span', {class: 'pill scheduled', title: 'As many of its jobs have started as its rate allows'}, `Next permit ${ago(nextPermitAt)}`) : null;
	}

	function laneCells(lane) {
		const {limit, weight} = lane.settings;
		const target = {...lane, lane: lane.name, queue: name, limit: limit ? limit.value : -1, limitAmongWorkers: lane.limit};
		const set = (setting) => setting ? h('small', {}, ` by ${setBy(setting)}. ${instead(setting)}`) : null;
		return [h('td', {class: 'name', title: lane.name}, h('a', {href: link(['jobs'], {queue: name, lane: lane.name})}, lane.name), obstacle(lane)),
			h('td', {class: 'num', 'data-label': 'Waiting'}, atLeast(lane.waiting.number, !lane.waiting.exact)),
			h('td', {class: 'num', 'data-label': 'Longest wait'}, wait({oldestReady: lane.oldestWaiting})),
			h('td', {class: 'num', 'data-label': 'Running'}, atLeast(lane.running.number, !lane.running.exact)),
			h('td', {class: 'num', 'data-label': 'Limit'}, lane.limit > 0 ? exact(lane.limit) : nothing(), set(limit)),
			h('td', {class: 'num', 'data-label': 'Weight'}, weight ? exact(weight.value) : nothing(), set(weight)),
			h('td', {class: 'acts'}, ['limit', 'weight'].map((kind) => numberButton(kind, target, loadLanes)), pauseButton(target, loadLanes))];
	}

	function schedules() {
		const all = details?.schedules || [];
		return all.length ? h('section', {class: 'card', 'data-key': 'schedules'}, h('h2', {}, all.length === 1 ? 'Schedule' : 'Schedules'),
			h('ul', {class: 'plain lines'}, all.map((schedule) => h('li', {'data-key': schedule.name}, h('a', {href: '#/schedules'}, schedule.name), schedule.paused ? h('span', {class: 'pill paused'}, 'Paused') : null,
				h('code', {class: 'expression'}, schedule.expression || schedule.definition), h('small', {}, schedule.paused ? 'paused' : schedule.next ? ['next ', when(schedule.next)] : 'never'))))) : null;
	}

	function settings(queue) {
		if (!details) {
			return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), loading());
		}
		const set = Object.entries(OPERATORS).map(([kind, instead]) => ({name: nameOfNumber(kind), instead, place: 'operator', origin: settingOf(kind, queue)})).filter(({origin}) => origin).map((setting) => ({...setting, value: exact(setting.origin.value)}));
		if (!details.settings) {
			return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), h('p', {class: 'muted'}, 'The process that shows this page has no handler for this queue, and only a process with the handler knows its settings.',
				set.map(({name, value}) => ` An operator set the ${name} to ${value}.`)));
		}
		const overridden = (setting) => set.some((it) => it.instead === setting.name);
		const all = [...set, ...details.settings];
		return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), h('p', {class: 'muted'}, 'In the process that shows this page: ', h('code', {}, breakable(details.handler))),
			h('table', {class: 'settings'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Setting'), h('th', {scope: 'col'}, 'Value'), h('th', {scope: 'col'}, 'Set by'))),
				h('tbody', {}, all.map((setting) => h('tr', {'data-key': setting.name, class: overridden(setting) ? 'overridden' : ''}, h('td', {}, h('code', {}, breakable(setting.name))), h('td', {class: 'value'}, value(setting)),
					h('td', {}, PLACES[setting.place] || setting.place, overridden(setting) ? ', overridden' : '', setting.place === 'operator' ? h('small', {}, `by ${setBy(setting.origin)}`) : null, ['property', 'defaults', 'payload-type'].includes(setting.place) ? h('small', {class: 'id'}, breakable(setting.origin)) : null))))));
	}

	function value(setting) {
		return setting.value === '0' ? {timeout: 'none', 'keep-result': 'none', 'max-concurrency': 'no limit', 'local-concurrency': 'no limit', 'max-waiting': 'no limit'}[setting.name] || setting.value : setting.value;
	}

	function servers(workers) {
		return h('section', {class: 'card', 'data-key': 'workers'}, h('h2', {}, 'Workers'), workers.length ? h('ul', {class: 'plain'}, workers.map((worker) => h('li', {'data-key': worker.id}, workerLink(store, worker.id))))
			: empty('No workers', 'Jobs wait until a process with a handler for this queue starts.'));
	}

	render();
	load(true);
	loadLanes();
	charts.load(true);
	return {update() {
		render();
		load(false);
		lanesAgain();
		charts.load(false);
	}, refresh() {
		charts.draw();
		charts.load(true);
		load(true);
		loadLanes();
	}};
}
