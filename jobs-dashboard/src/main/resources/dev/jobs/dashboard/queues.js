import {h, show} from './dom.js';
import {config, read} from './api.js';
import {atLeast, breakable, count, exact, now, plural, span, when} from './format.js';
import {sparkline} from './chart.js';
import {past} from './past.js';
import {attempts, empty, head, heading, limitButton, link, loading, pauseButton, progress, seldom} from './parts.js';

export const title = 'Queues';

const STEP = 50;

export default function queues(root, context) {
	return context.args.length ? one(root, context, context.args[0]) : all(root, context);
}

function badges(queue) {
	return [queue.paused ? h('span', {class: 'pill paused'}, 'Paused') : null,
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

function cell(label, queue, field) {
	const value = queue[field];
	return h('td', {class: 'num', 'data-label': label}, value > 0 ? h('a', {class: field === 'dead' ? 'bad' : null, href: link(['jobs'], {state: field, queue: queue.name})}, count(queue, field)) : h('span', {class: value ? '' : 'zero'}, count(queue, field)));
}

function all(root, {store, refresh}) {
	let text = '';
	let found = null;
	// More rows are drawn as one scrolls.
	let known = 0;
	let drawn = STEP;
	const end = h('div', {class: 'end-of-list', 'data-key': 'end', 'aria-hidden': 'true'});
	new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting) && drawn < known) {
			drawn += STEP;
			render();
		}
	}, {rootMargin: '600px'}).observe(end);
	// Of very many queues the overview holds some, so the others are asked for.
	const some = () => store.overview && store.overview.queueCount > store.overview.queues.length;
	async function ask() {
		const wanted = text;
		const result = some() && wanted ? await read('queues', {name: wanted}).catch(() => found) : null;
		if (wanted === text) {
			found = result;
			render();
		}
	}
	const again = seldom(5500, ask);
	function search() {
		return h('input', {type: 'search', 'data-search': true, 'data-key': 'search', placeholder: 'Filter by name', 'aria-label': 'Filter queues by name', value: text, oninput: (event) => {
			text = event.target.value;
			some() ? ask() : render();
		}});
	}
	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Queues', search()), loading());
			return;
		}
		const shown = (found ? found.queues : state.queues).filter((queue) => queue.name.toLowerCase().includes(text.toLowerCase()));
		known = shown.length;
		show(root, heading('Queues', h('p', {}, `${plural(state.queueCount, 'queue')}, ${atLeast(state.totals.ready, state.totals.atLeast.includes('ready'))} ${state.totals.ready === 1 ? 'job' : 'jobs'} waiting`),
			search()),
			shown.length === 0 ? empty(...(state.queues.length ? ['No matching queues', 'No queue has a name that contains this text.'] : ['No queues yet', 'A queue appears with its first job.'])) : h('div', {class: 'card flush'}, h('table', {class: 'cards dense'},
				head(['Name', 'Waiting', 'Longest wait', 'Scheduled', 'Retrying', 'Running', 'Limit', 'Dead', 'Last 30 min', null], (i) => i > 0 && i < 8),
				h('tbody', {}, shown.slice(0, drawn).map((queue) => h('tr', {'data-key': queue.name},
					h('td', {class: 'name'}, h('a', {href: link(['queues', queue.name])}, queue.name), badges(queue)),
					cell('Waiting', queue, 'ready'),
					h('td', {class: 'num', 'data-label': 'Longest wait'}, wait(queue)),
					cell('Scheduled', queue, 'scheduled'),
					cell('Retrying', queue, 'retrying'),
					cell('Running', queue, 'running'),
					h('td', {class: 'num', 'data-label': 'Limit'}, limit(queue)),
					cell('Dead', queue, 'dead'),
					h('td', {'data-label': 'Last 30 min'}, sparkline(queue.succeeded, `Succeeded in the last 30 minutes: ${queue.succeeded.reduce((a, b) => a + b, 0)}`)),
					h('td', {class: 'acts'}, pauseButton(queue, refresh))))))), end,
			some() ? h('p', {class: 'muted'}, `Showing ${exact(shown.length)} of ${exact(found ? found.count : state.queueCount)} queues.${shown.length < (found ? found.count : state.queueCount) ? ' Filter by name to find the others.' : ''}`) : null);
	}
	render();
	return {update() {
		render();
		again();
	}};
}

// The tabs of the page of a queue, and which time its jobs are listed with.
const TABS = [['Running', 'running', 'Started'], ['Waiting', 'ready', 'Due'], ['Scheduled', 'scheduled', 'Scheduled for'], ['Retrying', 'retrying', 'Retry at'], ['Dead', 'dead', 'Died'], ['Succeeded', 'succeeded', 'Created'], ['Cancelled', 'cancelled', 'Created']];
// Of these the overview has no numbers.
const KEPT = ['succeeded', 'cancelled'];
const PAGE = 20;
// On a narrow screen jobs come before charts.
const narrow = matchMedia('(max-width: 959px)');
const PLACES = {property: 'Property', annotation: 'Annotation', 'payload-type': 'Payload type', defaults: 'Default property', operator: 'Operator, at run time', customizer: 'HandlerCustomizer', 'built-in': 'Built in'};

function one(root, {store, params, refresh}, name) {
	const charts = past({path: ['queues', name], params, queue: name, redraw: render});
	let asked = null;
	let details = null;
	let jobs = null;
	let loadedAt = 0;
	let opened = null;

	async function load(force) {
		if (force || Date.now() - loadedAt > 5500) {
			loadedAt = Date.now();
			asked = isInOverview() ? null : await read('queues', {name}).catch(() => asked);
			render();
			const tab = tabOf(find());
			const [found, list] = await Promise.all([read('queue', {name}).catch(() => details), read('jobs', {state: tab, queue: name, limit: PAGE, order: ['ready', 'scheduled', 'retrying'].includes(tab) ? 'oldest' : 'newest'}).catch(() => null)]);
			details = found;
			if (tab === tabOf(find())) {
				jobs = list ? {tab, list: list.jobs, more: !!list.next} : jobs;
			}
			render();
		}
	}

	// Whether the overview has the queue and its workers. Of very many it holds some.
	function isInOverview() {
		const state = store.overview;
		return state && (state.queueCount === state.queues.length || state.queues.some((it) => it.name === name))
			&& state.workers.every((worker) => (worker.pools || []).every((pool) => pool.queueCount === pool.queues.length));
	}

	function find() {
		const state = store.overview;
		return state && state.queues.find((it) => it.name === name) || asked && asked.queues.find((it) => it.name === name);
	}

	// The one that was chosen, or else the first that had jobs when the page was opened: it
	// does not change by itself while one reads.
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
		return [h('nav', {class: 'crumbs', 'aria-label': 'Breadcrumb', 'data-key': 'crumbs'}, h('a', {href: '#/queues'}, 'Queues'), h('span', {'aria-hidden': 'true'}, ' / '), h('span', {'aria-current': 'page'}, name)), heading(name, ...rest)];
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
		const workers = state.workers.filter((worker) => asked ? asked.workers.includes(worker.id) : (worker.pools || []).some((pool) => pool.queues.includes(name)));
		const rest = [schedules(), settings(queue), servers(workers)];
		show(root, crumbs(...badges(queue), charts.picker(), h('div', {class: 'row'}, limitButton(queue, refresh), pauseButton(queue, refresh))), reason(queue), numbers(queue),
			narrow.matches ? [list(queue), charts.root, rest] : [charts.root, h('div', {class: 'columns wide-first', 'data-key': 'columns'}, list(queue), h('div', {}, rest))]);
	}

	function reason(queue) {
		const next = details && details.next;
		return next && next.why && queue.ready ? h('p', {class: 'why', 'data-key': 'why'}, h('a', {href: link(['job'], {id: next.id})}, 'Next job'), `: ${next.why}`) : null;
	}

	function numbers(queue) {
		return h('section', {class: 'tiles compact', 'aria-label': 'Figures', 'data-key': 'figures'},
			[['Waiting', 'ready'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying'], ['Running', 'running'], ['Dead', 'dead']].map(([label, field]) => h('a', {class: `tile ${queue[field] === 0 ? 'none' : field === 'dead' ? 'bad' : field === 'retrying' ? 'warn' : ''}`, href: link(['jobs'], {state: field, queue: name})}, h('span', {class: 'label'}, label), h('strong', {}, count(queue, field)),
				field === 'running' ? h('span', {class: 'detail'}, limited(queue)) : null)),
			h('div', {class: 'tile'}, h('span', {class: 'label'}, 'Longest wait'), h('strong', {}, wait(queue))));
	}

	function limited(queue) {
		return queue.limit >= 0 ? `limit ${exact(queue.limit)}, set by an operator` : queue.limitAmongWorkers > 0 ? `limit ${exact(queue.limitAmongWorkers)}, set by the workers` : 'no limit';
	}

	function list(queue) {
		const tab = tabOf(queue);
		const number = (field) => KEPT.includes(field) ? '' : count(queue, field);
		const label = TABS.find(([, field]) => field === tab);
		return h('section', {class: 'card flush', 'data-key': 'jobs', 'aria-label': 'Jobs of this queue'},
			h('div', {class: 'tabs', role: 'group', 'aria-label': 'State'}, TABS.map(([text, field]) => h('button', {type: 'button', 'data-tab': field, 'aria-pressed': String(field === tab), onclick: () => choose(field)}, text, ' ', h('span', {class: `tab-count ${field === 'dead' && queue.dead ? 'bad' : ''}`}, number(field))))),
			!jobs || jobs.tab !== tab ? loading() : jobs.list.length === 0 ? empty(`No ${label[0].toLowerCase()} jobs`, KEPT.includes(tab) ? 'Jobs that succeeded or were cancelled are kept only if keep-history is set.' : 'Jobs in this state appear here.')
				: table(label, jobs.list),
			jobs && jobs.tab === tab && jobs.more ? h('p', {class: 'foot'}, h('a', {href: link(['jobs'], {state: tab, queue: name})}, `View all ${label[0].toLowerCase()} jobs`)) : null);
	}

	function table([, field, label], list) {
		const withErrors = list.some((job) => job.error);
		const time = (job) => field === 'running' ? job.run && job.run.startedAt : field === 'dead' ? job.diedAt : KEPT.includes(field) ? job.createdAt : job.dueAt;
		return h('table', {class: withErrors ? 'cards' : 'cards roomy'}, head(['ID', config.payloads ? 'Payload' : null, label, 'Attempts', withErrors ? 'Error' : null, field === 'running' ? 'Progress' : null].filter((it) => it)),
			h('tbody', {}, list.map((job) => h('tr', {'data-key': job.id},
				h('td', {class: 'name'}, h('a', {class: 'id', href: link(['job'], {id: job.id}), title: job.id}, job.id)),
				config.payloads ? h('td', {'data-label': 'Payload'}, h('code', {class: 'args'}, job.args)) : null,
				h('td', {'data-label': label, class: 'nowrap'}, when(time(job))),
				h('td', {'data-label': 'Attempts'}, attempts(job)),
				withErrors ? h('td', {'data-label': 'Error', class: 'error'}, job.error) : null,
				field === 'running' ? h('td', {'data-label': 'Progress'}, progress(job.run) || '–') : null))));
	}

	function schedules() {
		const all = details && details.schedules || [];
		return all.length ? h('section', {class: 'card', 'data-key': 'schedules'}, h('h2', {}, all.length === 1 ? 'Schedule' : 'Schedules'),
			h('ul', {class: 'plain lines'}, all.map((schedule) => h('li', {'data-key': schedule.name}, h('a', {href: '#/schedules'}, schedule.name), schedule.paused ? h('span', {class: 'pill paused'}, 'Paused') : null,
				h('code', {class: 'expression'}, schedule.expression || schedule.definition), h('small', {}, schedule.paused ? 'paused' : schedule.next.length ? ['next ', when(schedule.next[0])] : 'never'))))) : null;
	}

	function settings(queue) {
		if (!details) {
			return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), loading());
		}
		if (!details.settings) {
			return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), h('p', {class: 'muted'}, 'The process that shows this page has no handler for this queue, and only a process with the handler knows its settings.',
				queue.limit >= 0 ? ` An operator set the limit to ${exact(queue.limit)}.` : ''));
		}
		const overridden = (setting) => queue.limit >= 0 && setting.name === 'max-concurrency';
		const all = queue.limit < 0 ? details.settings : [{name: 'limit', value: exact(queue.limit), place: 'operator'}, ...details.settings];
		return h('section', {class: 'card', 'data-key': 'settings'}, h('h2', {}, 'Settings'), h('p', {class: 'muted'}, 'In the process that shows this page: ', h('code', {}, breakable(details.handler))),
			h('table', {class: 'settings'}, h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Setting'), h('th', {scope: 'col'}, 'Value'), h('th', {scope: 'col'}, 'Set by'))),
				h('tbody', {}, all.map((setting) => h('tr', {'data-key': setting.name, class: overridden(setting) ? 'overridden' : ''}, h('td', {}, h('code', {}, breakable(setting.name))), h('td', {class: 'value'}, value(setting)),
					h('td', {}, PLACES[setting.place] || setting.place, overridden(setting) ? ', overridden' : '', ['property', 'defaults', 'payload-type'].includes(setting.place) ? h('small', {class: 'id'}, breakable(setting.origin)) : null))))));
	}

	function value(setting) {
		return setting.value === '0' ? {timeout: 'none', 'max-concurrency': 'no limit', 'local-concurrency': 'no limit', 'max-waiting': 'no limit'}[setting.name] || setting.value : setting.value;
	}

	function servers(workers) {
		return h('section', {class: 'card', 'data-key': 'workers'}, h('h2', {}, 'Workers'), workers.length ? h('ul', {class: 'plain'}, workers.map((worker) => h('li', {'data-key': worker.id}, h('a', {href: '#/workers'}, `${worker.host}, process ${worker.pid}`))))
			: empty('No workers', 'Jobs wait until a process with a handler for this queue starts.'));
	}

	render();
	load(true);
	charts.load(true);
	return {update() {
		render();
		load(false);
		charts.load(false);
	}, refresh() {
		charts.draw();
		charts.load(true);
		load(true);
	}};
}
