import {h, show} from './dom.js';
import {config, read} from './api.js';
import {atLeast, bytes, exact, now, plural, span, stamp, when} from './format.js';
import {empty, head, heading, instead, link, loading, nameOf, numberButton, portion, progress, seldom, setBy, stopButton, threadsOf, workerLink} from './parts.js';

export const title = 'Workers';

const MOST_RUNNING = 5;
const MOST_QUEUES = 8;

export default function workers(root, {store, refresh}) {
	let running = null;
	let pools = [];

	async function load() {
		[running, {pools}] = await Promise.all([read('jobs', {state: 'running', limit: 200}).catch(() => running), read('pools').catch(() => ({pools}))]);
		render();
	}

	function render() {
		const state = store.overview;
		if (!state) {
			show(root, heading('Workers'), loading());
			return;
		}
		const {busy, threads} = threadsOf(state.workers);
		show(root, heading('Workers', h('p', {}, `${plural(state.workers.length, 'worker')}, ${exact(busy)} of ${plural(threads, 'thread')} busy`)),
			state.workers.length === 0 ? empty('No live workers', 'Processes with jobs.worker.enabled=true appear here within seconds.')
				: h('section', {class: 'workers', 'data-key': 'workers'}, state.workers.map(card)), allPools(), runningJobs(state));
	}

	function allPools() {
		return pools.length === 0 ? null : h('section', {class: 'card flush', 'data-key': 'pools'}, h('h2', {}, 'Pools'), h('table', {class: 'cards tight'}, head(['Name', 'Workers', 'Wanted', 'Busy', 'Set by operators', null], (i) => i >= 1 && i <= 3),
			h('tbody', {}, pools.map((pool) => h('tr', {'data-key': pool.name}, h('td', {class: 'name'}, pool.name), h('td', {class: 'num', 'data-label': 'Workers'}, exact(pool.workers)),
				h('td', {class: 'num', 'data-label': 'Wanted', title: 'Workers that the pool needs'}, pool.wanted ? exact(pool.wanted.workers) : '–'),
				h('td', {class: 'num', 'data-label': 'Busy'}, `${exact(pool.busy)} of ${exact(pool.concurrency)}`), h('td', {'data-label': 'Set by operators'}, set(pool.settings)),
				h('td', {class: 'acts'}, numberButton('concurrency', pool, refresh), stopButton('pool', {id: pool.name, name: `pool ${pool.name}`, stopped: !!pool.settings.paused}, refresh)))))));
	}

	function set({paused, concurrency}) {
		return [paused ? h('span', {class: 'pill paused', title: `By ${setBy(paused)}`}, 'Paused') : null,
			concurrency ? h('span', {}, `${exact(concurrency.value)} on each worker, set by ${setBy(concurrency)}. ${instead(concurrency)}`) : paused ? null : '–'];
	}

	function versions({version, jvm} = {}) {
		return [version && `Application ${version}`, jvm?.jobs && `Jobs ${jvm.jobs}`, jvm && `Java ${jvm.java.split('+')[0]}`].filter((it) => it).join(' · ');
	}

	function card(worker) {
		const {threads} = threadsOf([worker]);
		const {jvm, host, startedAt} = worker.info || {};
		return h('article', {class: 'card', 'data-key': worker.id, 'aria-label': `Worker ${host || worker.id}`},
			h('header', {}, h('h2', {}, nameOf(worker)), worker.quiet ? h('span', {class: 'pill paused', title: `By ${setBy(worker.quiet)}`}, 'Quiet') : null, stopButton('worker', {id: worker.id, name: nameOf(worker), stopped: !!worker.quiet, quiet: true}, refresh), h('p', {class: 'muted'}, versions(worker.info))),
			h('div', {class: 'meters'},
				meter('Threads', worker.running, threads, `${exact(worker.running)} of ${exact(threads)} busy`),
				jvm ? meter('Heap', jvm.heapUsed, jvm.heapMax, `${bytes(jvm.heapUsed)} of ${bytes(jvm.heapMax)}`) : null),
			h('dl', {class: 'facts'}, h('dt', {}, 'Uptime'), h('dd', {}, startedAt ? h('time', {datetime: startedAt, title: `since ${stamp(startedAt)}`}, span(Math.max(0, now() - Date.parse(startedAt)))) : '–'),
				h('dt', {}, 'Last beat'), h('dd', {}, when(worker.lastBeat)), h('dt', {}, 'Lease expires'), h('dd', {}, when(worker.leaseUntil)),
				jvm ? [h('dt', {}, 'Java threads'), h('dd', {}, exact(jvm.threads))] : null,
				h('dt', {}, 'ID'), h('dd', {class: 'id'}, worker.id)),
			(worker.info?.pools || []).map((pool) => h('div', {class: 'pool', 'data-key': `pool ${pool.name}`}, h('div', {class: 'row'}, h('b', {}, `Pool ${pool.name}`), h('span', {class: 'row end muted'}, `${pool.busy} of ${pool.concurrency} busy`)),
				h('div', {class: 'track', 'aria-hidden': 'true'}, portion('busy', pool.busy, pool.concurrency)),
				queues(worker, pool))),
			runs(worker));
	}

	function queues(worker, pool) {
		const chips = (names) => names.map((queue) => h('a', {class: 'chip', href: link(['queues', queue]), title: queue}, queue));
		const some = pool.queueCount > MOST_QUEUES + 2 ? pool.queues.slice(0, MOST_QUEUES) : pool.queues;
		const others = pool.queues.slice(some.length);
		return [h('p', {class: 'chips'}, chips(some)), pool.queueCount > some.length ? h('details', {'data-key': `queues ${worker.id} ${pool.name}`}, h('summary', {}, plural(pool.queueCount - some.length, 'more queue')), h('p', {class: 'chips'}, chips(others),
			pool.queueCount > pool.queues.length ? h('span', {class: 'muted'}, `and ${exact(pool.queueCount - pool.queues.length)} more, not listed here`) : null)) : null];
	}

	function meter(label, value, most, text) {
		const share = most > 0 ? value / most : 0;
		return h('div', {class: 'meter'}, h('div', {class: 'row'}, h('span', {class: 'muted'}, label), h('b', {class: 'row end'}, text)),
			h('div', {class: 'track', 'aria-hidden': 'true'}, portion(share > 0.9 && label === 'Heap' ? 'full' : 'busy', Math.min(value, most), most)));
	}

	function runs(worker) {
		const jobs = running ? running.jobs.filter((job) => job.run?.worker === worker.id) : [];
		// The list does not have all jobs that it runs.
		const most = running?.next ? Math.max(worker.running, jobs.length) : jobs.length;
		return jobs.length ? h('div', {class: 'pool', 'data-key': 'runs'}, h('h3', {}, 'Running now'), h('ul', {class: 'plain now'}, jobs.slice(0, MOST_RUNNING).map((job) => h('li', {'data-key': job.id}, h('a', {href: link(['job'], {id: job.id})}, job.name), h('span', {class: 'muted nowrap'}, 'for ', span(Math.max(0, now() - Date.parse(job.run.startedAt)))))),
			most > MOST_RUNNING ? h('li', {class: 'muted'}, `and ${exact(most - MOST_RUNNING)} more`) : null)) : null;
	}

	function runningJobs(state) {
		if (!running) {
			return loading();
		}
		const checkIns = running.jobs.some((job) => job.run?.progress?.checkIn);
		const steps = running.jobs.some((job) => job.run?.progress?.total);
		return h('section', {class: 'card flush', 'data-key': 'running'}, h('h2', {}, 'Running jobs'), running.jobs.length === 0 ? empty('No running jobs', 'Jobs appear here while a worker runs them.')
			: h('table', {class: 'cards tight'}, head(['Name', config.payloads ? 'Payload' : null, 'Worker', 'Started', checkIns ? 'Check-in' : null, checkIns || steps ? 'Updated' : null, steps ? 'Progress' : null].filter((name) => name)),
				h('tbody', {}, running.jobs.map((job) => h('tr', {'data-key': job.id}, h('td', {class: 'name'}, h('a', {href: link(['job'], {id: job.id})}, job.name)),
					config.payloads ? h('td', {'data-label': 'Payload'}, h('code', {class: 'args'}, job.payloadPreview)) : null,
					h('td', {'data-label': 'Worker', class: 'host'}, job.run ? workerLink(store, job.run.worker) : '–'),
					h('td', {'data-label': 'Started', class: 'nowrap'}, when(job.run?.startedAt)), checkIns ? h('td', {'data-label': 'Check-in', class: 'report'}, job.run?.progress?.checkIn || '–') : null,
					checkIns || steps ? h('td', {'data-label': 'Updated', class: 'nowrap'}, when(job.run?.progress?.at)) : null, steps ? h('td', {'data-label': 'Progress'}, progress(job) || '–') : null)))),
			running.next ? h('p', {class: 'foot'}, `Showing ${exact(running.jobs.length)} of ${atLeast(running.count.number, !running.count.exact)}. `, h('a', {href: link(['jobs'], {state: 'running'})}, 'View all running jobs')) : null);
	}

	const again = seldom(3500, load);
	render();
	load();
	return {update() {
		render();
		again();
	}, refresh: load};
}
