import {h, show} from './dom.js';
import {read} from './api.js';
import {atLeast, count, exact, now, plural, span} from './format.js';
import {sparkline} from './chart.js';
import {charts} from './overview.js';
import {empty, head, heading, limitButton, link, loading, pauseButton, seldom} from './parts.js';

export const title = 'Queues';

export default function queues(root, context) {
	return context.args.length ? one(root, context, context.args[0]) : all(root, context);
}

function badges(queue) {
	return [queue.paused ? h('span', {class: 'pill paused'}, 'Paused') : null,
		queue.served ? null : h('span', {class: 'pill unserved', title: 'No live worker has a handler for it'}, 'No worker')];
}

function limit(queue) {
	return queue.limitAmongWorkers > 0 ? exact(queue.limitAmongWorkers) : '–';
}

function wait(queue) {
	return queue.oldestReady ? span(Math.max(0, now() - Date.parse(queue.oldestReady))) : '–';
}

function cell(label, queue, field) {
	const value = queue[field];
	return h('td', {class: 'num', 'data-label': label}, value > 0 ? h('a', {href: link(['jobs'], {state: field, queue: queue.name})}, count(queue, field)) : h('span', {class: value ? '' : 'zero'}, count(queue, field)));
}

function all(root, {store, refresh}) {
	let text = '';
	let found = null;
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
		return h('input', {type: 'search', 'data-search': true, 'data-key': 'search', placeholder: 'Name of a queue', 'aria-label': 'Name of a queue', value: text, oninput: (event) => {
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
		show(root, heading('Queues', h('p', {}, `${plural(state.queueCount, 'queue')}, ${atLeast(state.totals.ready, state.totals.atLeast.includes('ready'))} ${state.totals.ready === 1 ? 'job' : 'jobs'} waiting`),
			search()),
			shown.length === 0 ? empty(state.queues.length ? 'No queue has such a name' : 'There is no queue yet', 'A queue appears with its first job.') : h('div', {class: 'card flush'}, h('table', {class: 'cards dense'},
				head(['Name', 'Waiting', 'Longest wait', 'Scheduled', 'Retrying', 'Running', 'Limit', 'Dead', 'Last 30 min', null], (i) => i > 0 && i < 8),
				h('tbody', {}, shown.map((queue) => h('tr', {'data-key': queue.name},
					h('td', {class: 'name'}, h('a', {href: link(['queues', queue.name])}, queue.name), badges(queue)),
					cell('Waiting', queue, 'ready'),
					h('td', {class: 'num', 'data-label': 'Longest wait'}, wait(queue)),
					cell('Scheduled', queue, 'scheduled'),
					cell('Retrying', queue, 'retrying'),
					cell('Running', queue, 'running'),
					h('td', {class: 'num', 'data-label': 'Limit'}, limit(queue)),
					cell('Dead', queue, 'dead'),
					h('td', {'data-label': 'Last 30 min'}, sparkline(queue.succeeded, `Succeeded in the last 30 minutes: ${queue.succeeded.reduce((a, b) => a + b, 0)}`)),
					h('td', {class: 'acts'}, pauseButton(queue, refresh))))))),
			some() ? h('p', {class: 'muted'}, `Showing ${exact(shown.length)} of ${exact(found ? found.count : state.queueCount)} queues. Search for the name of another.`) : null);
	}
	render();
	return {update() {
		render();
		again();
	}};
}

function one(root, {store, refresh}, name) {
	let history = null;
	let asked = null;
	let loadedAt = 0;
	async function load(force) {
		if (force || Date.now() - loadedAt > 9000) {
			loadedAt = Date.now();
			asked = isInOverview() ? null : await read('queues', {name}).catch(() => asked);
			history = await read('history', {range: '3h', queue: name}).catch(() => history);
			render();
		}
	}
	// Whether the overview has the queue and its workers. Of very many it holds some.
	function isInOverview() {
		const state = store.overview;
		return state && (state.queueCount === state.queues.length || state.queues.some((it) => it.name === name))
			&& state.workers.every((worker) => (worker.pools || []).every((pool) => pool.queueCount === pool.queues.length));
	}
	function render() {
		const state = store.overview;
		if (!state || !isInOverview() && !asked) {
			show(root, heading(name), loading());
			return;
		}
		const queue = state.queues.find((it) => it.name === name) || asked && asked.queues.find((it) => it.name === name);
		if (!queue) {
			show(root, heading(name), empty('There is no such queue', 'It may have been removed in the meantime.'));
			return;
		}
		const states = [['Waiting', 'ready'], ['Scheduled', 'scheduled'], ['Retrying', 'retrying'], ['Running', 'running'], ['Dead', 'dead'], ['History', 'history']];
		const workers = state.workers.filter((worker) => asked ? asked.workers.includes(worker.id) : (worker.pools || []).some((pool) => pool.queues.includes(name)));
		show(root, heading(name, ...badges(queue), h('div', {class: 'row end'}, limitButton(queue, refresh), pauseButton(queue, refresh))),
			h('section', {class: 'tiles', 'aria-label': 'States'}, states.map(([label, field]) => h('a', {class: `tile ${field === 'dead' && queue.dead ? 'bad' : ''}`,
				href: link(['jobs'], {state: field === 'history' ? 'succeeded,cancelled' : field, queue: name})}, h('span', {class: 'label'}, label), h('strong', {}, count(queue, field)))),
				h('div', {class: 'tile'}, h('span', {class: 'label'}, 'Longest wait'), h('strong', {}, wait(queue))),
				h('div', {class: 'tile'}, h('span', {class: 'label'}, 'Limit'), h('strong', {}, limit(queue)), h('span', {class: 'detail'}, queue.limit < 0 ? 'set by the workers' : 'for all workers'))),
			charts(history),
			h('section', {class: 'card'}, h('h2', {}, 'Workers that serve it'), workers.length ? h('ul', {class: 'plain'}, workers.map((worker) => h('li', {}, h('a', {href: '#/workers'}, `${worker.host}, process ${worker.pid}`))))
				: empty('No worker serves it', 'Its jobs wait until a process with a handler of this name starts.')));
	}
	render();
	load(true);
	return {update() {
		render();
		load(false);
	}, refresh: () => load(true)};
}
