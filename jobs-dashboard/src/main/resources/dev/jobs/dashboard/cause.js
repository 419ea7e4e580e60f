// Dead jobs of one cause.

import {h, show} from './dom.js';
import {read} from './api.js';
import {brief, exact, plural, when} from './format.js';
import {actOnJobs, button, crumbs, deaths, empty, failure, heading, jobTable, link, loading, masked, mayOperate, pageSize, queuesOf, scrolling, seldom, toast} from './parts.js';

export const title = 'Dead';

export default function cause(root, {args, params, navigate, entitle}) {
	const id = args[0] || '';
	const queue = params.queue;
	let found = null;
	let group = null;
	let list = null;
	let pages = 0;
	let error = null;
	const size = pageSize();
	const onScroll = scrolling();

	async function load() {
		try {
			const [summary, jobs] = await Promise.all([read('dead', {cause: id, queue}), read('jobs', {cause: id, queue, order: 'newest', limit: size})]);
			found = summary;
			group = summary.groups[0] || null;
			list = jobs;
			pages = 1;
			error = null;
			entitle(group ? group.error : 'Dead');
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	async function more() {
		try {
			const next = await read('jobs', {cause: id, queue, order: 'newest', limit: size, after: list.next});
			const there = new Set(list.jobs.map((job) => job.id));
			list = {...list, jobs: [...list.jobs, ...next.jobs.filter((job) => !there.has(job.id))], next: next.next};
			pages++;
		}
		catch (problem) {
			toast(problem.message, true);
		}
		render();
	}

	async function perform(name) {
		if (await actOnJobs(name, {cause: id, queue}, group ? group.count : list.jobs.length, 'dead job', !found.complete)) {
			navigate(link(queue ? ['dead', queue] : ['dead']));
		}
	}

	function back() {
		return crumbs(queue ? `Dead in ${queue}` : 'Dead', link(queue ? ['dead', queue] : ['dead']), 'Cause');
	}

	function figures() {
		const tile = (label, value, detail) => h('div', {class: 'tile'}, h('span', {class: 'label'}, label), h('strong', {}, value), detail ? h('span', {class: 'detail'}, detail) : null);
		return group ? h('section', {class: 'tiles', 'aria-label': 'Figures'}, tile(found.complete ? 'Jobs' : `Of the last ${exact(found.searched)}`, exact(group.count)), tile('Distinct messages', exact(group.messages)),
			tile('First died', when(group.firstDied), brief(group.firstDied)), tile('Last died', when(group.lastDied), brief(group.lastDied))) : null;
	}

	function title() {
		const head = heading(group ? masked(group.error) : 'Dead', mayOperate() ? h('div', {class: 'row end'}, button('Retry group', () => perform('retry'), {'data-act': 'retry'}), button('Delete group', () => perform('delete'), {class: 'danger', 'data-act': 'delete'})) : null);
		head.classList.add('long');
		return head;
	}

	function table() {
		return h('div', {class: 'card flush'}, jobTable(list.jobs, {label: 'Died', time: (job) => job.diedAt, named: true}));
	}

	function render() {
		if (!found) {
			show(root, heading('Dead'), error ? failure(error, load) : loading());
			return;
		}
		if (!group && list.jobs.length === 0 && !list.next) {
			show(root, back(), heading('Dead'), empty('No dead jobs with this cause', 'They have been retried or deleted.'));
			return;
		}
		const isFull = list.jobs.length >= pages * size;
		show(root, back(), title(),
			group && group.frame ? h('p', {class: 'frame'}, 'at ', h('code', {}, group.frame)) : null, figures(),
			group ? h('section', {class: 'card spread'}, h('div', {}, h('h2', {}, 'Deaths over time'), deaths(group, found)), h('div', {}, h('h2', {}, 'Queues'), queuesOf(group, 20))) : null,
			table(), found.complete ? null : h('p', {class: 'part'}, `The numbers cover the ${exact(found.searched)} jobs that died last. Retry and Delete also apply to older jobs of this group.`),
			list.next ? h('p', {class: 'part'}, group && isFull && found.complete ? `Showing ${exact(list.jobs.length)} of ${plural(group.count, 'job')}. ` : null, button(isFull ? 'Load more' : 'Search more', more, {'data-act': 'more'})) : null);
		onScroll(isFull ? root.querySelector('[data-act=more]') : null);
	}

	render();
	load();
	const again = seldom(15000, load);
	return {update() {
		if (pages <= 1) {
			again();
		}
	}, refresh: load};
}
