import {h, show} from './dom.js';
import {read} from './api.js';
import {atLeast, exact, plural, when} from './format.js';
import {actOnJobs, button, empty, failure, head, heading, link, loading, mayOperate, seldom, toast} from './parts.js';

export const title = 'Dead';

export default function dead(root, {store, args}) {
	const queue = args[0];
	let found = null;
	let error = null;

	async function load() {
		try {
			found = await read('dead', {queue});
			error = null;
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	// The question says how many there are at that moment.
	async function perform(name, {error}) {
		await load();
		const group = found.groups.find((it) => it.error === error);
		if (!root.isConnected) {
			return;
		}
		if (!group) {
			toast('They are not dead any more.', true);
		}
		else if (await actOnJobs(name, {cause: error, queue}, group.count, 'dead job')) {
			await load();
		}
	}

	async function everything(name) {
		await load();
		if (!root.isConnected) {
			return;
		}
		if (found.count === 0) {
			toast('They are not dead any more.', true);
		}
		else if (await actOnJobs(name, {filter: {state: 'dead', queue}}, found.count, 'dead job', !found.exact)) {
			await load();
		}
	}

	function row(group) {
		return h('tr', {'data-key': group.error || 'none'},
			h('td', {class: 'num', 'data-label': 'Jobs'}, h('strong', {}, exact(group.count))),
			h('td', {class: 'name', 'data-label': 'Latest'}, h('a', {href: link(['job'], {id: group.latest.id})}, group.latest.name)),
			h('td', {class: 'error', 'data-label': 'Error'}, group.error || '–'),
			h('td', {'data-label': 'Last died', class: 'nowrap'}, when(group.latest.diedAt)),
			h('td', {class: 'acts'}, mayOperate() ? [button('Retry', () => perform('retry', group), {class: 'small', 'data-act': 'retry', 'aria-label': `Retry ${plural(group.count, 'job')}: ${group.error || 'no error'}`}),
				button('Delete', () => perform('delete', group), {class: 'small danger', 'data-act': 'delete', 'aria-label': `Delete ${plural(group.count, 'job')}: ${group.error || 'no error'}`})] : null));
	}

	function render() {
		show(root, heading(queue ? `Dead in ${queue}` : 'Dead', found ? h('p', {}, `${atLeast(found.count, !found.exact)} ${found.count === 1 ? 'job is' : 'jobs are'} dead`) : null,
			found && found.count && mayOperate() ? h('div', {class: 'row end'}, button('Retry all', () => everything('retry'), {class: 'primary', 'data-act': 'retry-all'}), button('Delete all', () => everything('delete'), {class: 'danger', 'data-act': 'delete-all'})) : null),
		error && !found ? failure(error, load) : !found ? loading() : found.groups.length === 0 ? empty('No dead jobs', 'Jobs that failed for good are kept here, with their errors, until you retry or delete them.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, head(['Jobs', 'Latest', 'Error', 'Last died', null], (i) => i === 0), h('tbody', {}, found.groups.map(row)))),
		found && found.complete === false ? h('p', {class: 'muted'}, `These groups cover the ${exact(found.searched)} jobs that died last.`) : null,
		found && found.count ? h('p', {}, h('a', {href: link(['jobs'], {state: 'dead', queue, order: 'newest'})}, 'See each of them')) : null);
	}

	render();
	load();
	const again = seldom(30000, load);
	const soon = seldom(10000, load);
	let known = null;
	return {update() {
		const of = queue ? store.overview.queues.find((it) => it.name === queue) : store.overview.totals;
		const count = of ? of.dead : 0;
		if (known === null) {
			known = count;
		}
		else if (known !== count && soon()) {
			known = count;
		}
		again();
	}, refresh: load};
}
