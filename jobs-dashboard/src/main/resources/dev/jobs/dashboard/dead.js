import {h, show} from './dom.js';
import {read} from './api.js';
import {atLeast, count, exact, jobs as many, plural, when} from './format.js';
import {actOnJobs, button, deaths, empty, failure, head, heading, link, loading, masked, mayOperate, queuesOf, seldom, toast} from './parts.js';

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
	async function perform(name, {cause}) {
		await load();
		const group = found.groups.find((it) => it.cause === cause);
		if (!root.isConnected) {
			return;
		}
		if (!group) {
			toast('These jobs are no longer dead.', true);
		}
		else if (await actOnJobs(name, {cause, queue}, group.count, 'dead job', !found.complete)) {
			await load();
		}
	}

	async function everything(name) {
		await load();
		if (!root.isConnected) {
			return;
		}
		if (found.count === 0) {
			toast('These jobs are no longer dead.', true);
		}
		else if (await actOnJobs(name, {filter: {state: 'dead', queue}}, found.count, 'dead job', !found.exact)) {
			await load();
		}
	}

	function row(group) {
		return h('tr', {'data-key': group.cause},
			h('td', {class: 'cause', 'data-label': 'Error'}, h('a', {href: link(['cause', group.cause], {queue})}, masked(group.error)),
				h('small', {}, group.frame ? h('code', {}, group.frame) : null, group.messages > 1 ? h('span', {}, `${exact(group.messages)} distinct messages`) : null)),
			h('td', {class: 'num', 'data-label': counted()}, exact(group.count)),
			h('td', {'data-label': 'Queues'}, queuesOf(group, 2)),
			h('td', {'data-label': 'Deaths'}, deaths(group, found)),
			h('td', {'data-label': 'First died', class: 'nowrap'}, when(group.firstDied)),
			h('td', {'data-label': 'Last died', class: 'nowrap'}, when(group.lastDied)),
			mayOperate() ? h('td', {class: 'acts'}, [['retry', 'Retry', 'small'], ['delete', 'Delete', 'small danger']].map(([name, label, cls]) =>
				button(label, () => perform(name, group), {class: cls, 'data-act': name, 'aria-label': `${label} ${plural(group.count, 'job')}: ${group.error || 'no error'}`}))) : null);
	}

	function counted() {
		return found.complete ? 'Jobs' : `Of the last ${exact(found.searched)}`;
	}

	function summary() {
		const of = queue ? store.overview && store.overview.queues.find((it) => it.name === queue) : store.overview && store.overview.totals;
		return many(found.exact || !of ? atLeast(found.count, !found.exact) : count(of, 'dead')) + (found.groupCount ? `, ${plural(found.groupCount, 'cause')}` : '');
	}

	function render() {
		show(root, heading(queue ? `Dead in ${queue}` : 'Dead', found ? h('p', {}, summary()) : null,
			found && found.count && mayOperate() ? h('div', {class: 'row end'}, button('Retry all', () => everything('retry'), {'data-act': 'retry-all'}), button('Delete all', () => everything('delete'), {class: 'danger', 'data-act': 'delete-all'})) : null),
		error && !found ? failure(error, load) : !found ? loading() : found.groups.length === 0 ? empty('No dead jobs', 'Jobs that failed for good are kept here, with their errors, until you retry or delete them.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards groups'}, head(['Error', counted(), 'Queues', 'Deaths', 'First died', 'Last died', mayOperate() ? null : undefined].filter((name) => name !== undefined), (i) => i === 1), h('tbody', {}, found.groups.map(row)))),
		found && !found.complete ? h('p', {class: 'part'}, `The groups cover the ${exact(found.searched)} jobs that died last. Retry and Delete also apply to older jobs of a group.`) : null,
		found && found.groupCount > found.groups.length ? h('p', {class: 'part'}, `Showing the ${exact(found.groups.length)} largest of ${exact(found.groupCount)} groups. ${plural(found.groupCount - found.groups.length, 'smaller group')} not shown.`) : null,
		found && found.count ? h('p', {}, h('a', {href: link(['jobs'], {state: 'dead', queue})}, 'View all dead jobs')) : null);
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
