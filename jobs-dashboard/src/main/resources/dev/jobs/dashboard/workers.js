import {h, show} from './dom.js';
import {config, read} from './api.js';
import {exact, plural, when} from './format.js';
import {empty, head, heading, link, loading, portion, progress, seldom} from './parts.js';

export const title = 'Workers';

export default function workers(root, {store}) {
	let running = null;

	async function load() {
		running = await read('jobs', {state: 'running', size: 200}).catch(() => running);
		render();
	}

	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Workers'), loading());
			return;
		}
		const pools = state.workers.flatMap((worker) => worker.pools || []);
		const places = pools.reduce((sum, pool) => sum + pool.concurrency, 0);
		const busy = state.workers.reduce((sum, worker) => sum + worker.running, 0);
		show(root, heading('Workers', h('p', {}, `${plural(state.workers.length, 'process', 'processes')}, ${exact(busy)} of ${exact(places)} threads busy`)),
			state.workers.length === 0 ? empty('No worker is alive', 'A process whose jobs.worker.enabled is true shows up here within seconds.')
				: h('section', {class: 'workers'}, state.workers.map(card)), runningJobs());
	}

	function card(worker) {
		return h('article', {class: 'card', 'data-key': worker.id, 'aria-label': `Worker ${worker.host || worker.id}`}, h('header', {class: 'row'}, h('h2', {}, worker.host ? `${worker.host}, process ${worker.pid}` : worker.id), worker.version ? h('span', {class: 'pill'}, worker.version) : null),
			h('dl', {class: 'facts'}, h('dt', {}, 'Started'), h('dd', {}, when(worker.startedAt)), h('dt', {}, 'Last heartbeat'), h('dd', {}, when(worker.lastBeat)), h('dt', {}, 'Lease until'), h('dd', {}, when(worker.leaseUntil)),
				h('dt', {}, 'Id'), h('dd', {class: 'id'}, worker.id)),
			(worker.pools || []).map((pool) => h('div', {class: 'pool'}, h('div', {class: 'row'}, h('b', {}, `Pool ${pool.name}`), h('span', {class: 'row end muted'}, `${pool.busy} busy, ${pool.concurrency - pool.busy} idle`)),
				h('div', {class: 'track'}, portion('busy', pool.busy, pool.concurrency)),
				h('p', {class: 'chips'}, pool.queues.map((queue) => h('a', {class: 'chip', href: link(['queues', queue])}, queue)), pool.queueCount > pool.queues.length ? h('span', {class: 'muted'}, `and ${exact(pool.queueCount - pool.queues.length)} more`) : null))));
	}

	function runningJobs() {
		if (!running) {
			return loading();
		}
		return h('section', {class: 'card flush'}, h('h2', {}, 'Running jobs'), running.jobs.length === 0 ? empty('Nothing runs', 'Jobs appear here while a worker has them.')
			: h('table', {class: 'cards'}, head(['Name', config.payloads ? 'Arguments' : null, 'Started', 'Check-in', 'Reported', 'Progress'].filter((name) => name)),
				h('tbody', {}, running.jobs.map((job) => h('tr', {'data-key': job.id}, h('td', {class: 'name'}, h('a', {href: link(['job'], {id: job.id})}, job.name)),
					config.payloads ? h('td', {'data-label': 'Arguments'}, h('code', {class: 'args'}, job.args)) : null,
					h('td', {'data-label': 'Started', class: 'nowrap'}, when(job.run && job.run.startedAt)), h('td', {'data-label': 'Check-in', class: 'report'}, (job.run && job.run.checkIn) || '–'),
					h('td', {'data-label': 'Reported', class: 'nowrap'}, when(job.run && job.run.reportedAt)), h('td', {'data-label': 'Progress'}, progress(job.run) || '–'))))));
	}

	const again = seldom(3500, load);
	render();
	load();
	return {update() {
		render();
		again();
	}, refresh: load};
}
