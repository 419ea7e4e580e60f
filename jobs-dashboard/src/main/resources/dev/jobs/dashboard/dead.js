import {h, show} from './dom.js';
import {read} from './api.js';
import {atLeast, brief, count, exact, jobs as many, plural, when} from './format.js';
import {bulkActions} from './bulk.js';
import {VERB, actOnJobs, button, crumbs, deaths, empty, head, heading, jobList, jobTable, link, loads, masked, mayOperate, perform as act, pill, queuesOf, seldom, toast, traceLink, unread} from './parts.js';

export const title = 'Dead';

// A cause is resolved until a job dies of it again.
const isResolved = ({resolvedAt, lastDied}) => resolvedAt && Date.parse(lastDied) <= Date.parse(resolvedAt);

// Resolves a cause, or reopens it.
async function settle(group, queue) {
	const name = isResolved(group) ? 'reopen' : 'resolve';
	return act(name, {cause: group.id, queue}, () => name === 'resolve' ? 'Resolved until a job dies of it again' : 'Reopened', 'the cause');
}

function settleButton(group, cls, act) {
	const label = isResolved(group) ? 'Reopen' : 'Resolve';
	return button(label, act, {class: cls, 'data-act': 'resolve', 'aria-label': `${label}: ${group.error || 'no error'}`,
		title: isResolved(group) ? null : 'Hide this cause until a job dies of it again. Its jobs stay.'});
}

// The time, and the version that was the latest then.
function died(at, version) {
	return h('span', {}, when(at), version ? h('small', {title: `Version ${version} was the latest to start by then`}, ` in ${version}`) : null);
}

export default function dead(root, {store, args}) {
	const queue = args[0];
	let found = null;
	let all = false;
	const bulk = bulkActions(() => render());

	const load = loads(async () => found = await read('dead', {queue}), render);

	// The question has the number at that moment.
	async function perform(name, wish, counted) {
		await load();
		const count = counted();
		if (!root.isConnected) {
			return;
		}
		if (count.number === 0) {
			toast('These jobs are no longer dead.', true);
		}
		else if (await actOnJobs(name, wish, count.number, 'dead job', !count.exact)) {
			await Promise.all([load(), bulk.load()]);
		}
	}

	function ofCause(name, {id}) {
		return perform(name, {cause: id, queue}, () => ({number: found.causes.find((group) => group.id === id)?.count || 0, exact: found.complete}));
	}

	function everything(name) {
		return perform(name, {filter: {state: 'dead', queue}}, () => found.count);
	}

	function row(group) {
		return h('tr', {'data-key': group.id},
			h('td', {class: 'cause', 'data-label': 'Error'}, h('a', {href: link(['cause', group.id], {queue})}, masked(group.error)), group.resolvedAt ? [' ', pill(isResolved(group) ? 'RESOLVED' : 'BACK')] : null,
				h('small', {}, group.frame ? h('code', {}, group.frame) : null, group.messages > 1 ? h('span', {}, `${exact(group.messages)} distinct messages`) : null)),
			h('td', {class: 'num', 'data-label': counted()}, exact(group.count)),
			h('td', {'data-label': 'Queues'}, queuesOf(group, 2)),
			h('td', {'data-label': 'Deaths'}, deaths(group, found)),
			h('td', {'data-label': 'First died', class: 'nowrap'}, died(group.firstDied, group.firstVersion)),
			h('td', {'data-label': 'Last died', class: 'nowrap'}, died(group.lastDied, group.lastVersion)),
			mayOperate() ? h('td', {class: 'acts'}, settleButton(group, 'small', async () => await settle(group, queue) && load()), [['retry', 'small'], ['delete', 'small danger']].map(([name, cls]) =>
				button(VERB[name], () => ofCause(name, group), {class: cls, 'data-act': name, 'aria-label': `${VERB[name]} ${plural(group.count, 'job')}: ${group.error || 'no error'}`}))) : null);
	}

	function counted() {
		return found.complete ? 'Jobs' : `Of the last ${exact(found.searched)}`;
	}

	function summary() {
		const of = queue ? store.overview?.queues.find((it) => it.name === queue) : store.overview?.totals;
		return many(found.count.exact || !of ? atLeast(found.count.number, !found.count.exact) : count(of, 'dead')) + (found.causeCount ? `, ${plural(found.causeCount, 'cause')}` : '');
	}

	function render() {
		const shown = found ? found.causes.filter((group) => all || !isResolved(group)) : [];
		const resolved = found?.causes.filter(isResolved).length;
		show(root, heading(queue ? `Dead in ${queue}` : 'Dead', found ? h('p', {}, summary()) : null,
			found?.count.number && mayOperate() ? h('div', {class: 'row end'}, button('Retry all', () => everything('retry'), {'data-act': 'retry-all'}), button('Delete all', () => everything('delete'), {class: 'danger', 'data-act': 'delete-all'})) : null), bulk.card(),
		!found ? unread(load) : found.causes.length === 0 ? empty('No dead jobs', 'Jobs that failed for good are kept here, with their errors, until you retry or delete them.')
			: shown.length === 0 ? empty('No unresolved causes', 'A cause comes back here once another job dies of it.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards groups'}, head(['Error', counted(), 'Queues', 'Deaths', 'First died', 'Last died', mayOperate() ? null : undefined].filter((name) => name !== undefined), (i) => i === 1), h('tbody', {}, shown.map(row)))),
		resolved ? h('p', {class: 'part'}, `${plural(resolved, 'cause')} resolved. `, button(all ? 'Hide resolved' : 'Show resolved', () => {
			all = !all;
			render();
		}, {class: 'linkish'})) : null,
		found && !found.complete ? h('p', {class: 'part'}, `The groups cover the ${exact(found.searched)} jobs that died last. Retry and Delete also apply to older jobs of a group.`) : null,
		found && found.causeCount > found.causes.length ? h('p', {class: 'part'}, `Showing the ${exact(found.causes.length)} largest of ${exact(found.causeCount)} groups. ${plural(found.causeCount - found.causes.length, 'smaller group')} not shown.`) : null,
		found?.count.number ? h('p', {}, h('a', {href: link(['jobs'], {state: 'dead', queue})}, 'View all dead jobs')) : null);
	}

	render();
	load();
	const again = seldom(30000, load);
	const soon = seldom(10000, load);
	let known = null;
	return {update() {
		bulk.update();
		const of = queue ? store.overview.queues.find((it) => it.name === queue) : store.overview.totals;
		const count = of?.dead || 0;
		if (known === null) {
			known = count;
		}
		else if (known !== count && soon()) {
			known = count;
		}
		again();
	}, refresh: load};
}

// Dead jobs of one cause.
export function cause(root, {args, params, navigate, entitle}) {
	const id = args[0] || '';
	const queue = params.queue;
	let found = null;
	let group = null;
	const list = jobList((page) => read('jobs', {cause: id, queue, newestFirst: true, ...page}), render);

	const load = loads(async () => {
		[found] = await Promise.all([read('dead', {cause: id, queue}), list.first()]);
		group = found.causes[0] || null;
		entitle(group ? group.error : 'Dead');
	}, render);

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
			tile('First died', when(group.firstDied), [brief(group.firstDied), group.firstVersion ? ` in ${group.firstVersion}` : null]), tile('Last died', when(group.lastDied), [brief(group.lastDied), group.lastVersion ? ` in ${group.lastVersion}` : null])) : null;
	}

	function title() {
		const head = heading(group ? masked(group.error) : 'Dead', mayOperate() ? h('div', {class: 'row end'}, group ? settleButton(group, '', async () => await settle(group, queue) && load()) : null, button('Retry group', () => perform('retry'), {'data-act': 'retry'}), button('Delete group', () => perform('delete'), {class: 'danger', 'data-act': 'delete'})) : null);
		head.classList.add('long');
		return head;
	}

	function table() {
		return h('div', {class: 'card flush'}, jobTable(list.jobs, {label: 'Died', time: (job) => job.endedAt, named: true}));
	}

	function render() {
		if (!found) {
			show(root, heading('Dead'), unread(load));
			return;
		}
		if (!group && list.jobs.length === 0 && !list.next) {
			show(root, back(), heading('Dead'), empty('No dead jobs with this cause', 'They have been retried or deleted.'));
			return;
		}
		const isFull = list.isFull();
		show(root, back(), title(),
			group?.resolvedAt ? h('p', {class: 'frame'}, pill(isResolved(group) ? 'RESOLVED' : 'BACK'), isResolved(group) ? ' ' : ' resolved ', when(group.resolvedAt)) : null,
			group && (group.frame || traceLink(group.latest)) ? h('p', {class: 'frame'}, group.frame ? ['at ', h('code', {}, group.frame), ' '] : null, traceLink(group.latest, 'Trace of the latest')) : null, figures(),
			group ? h('section', {class: 'card spread'}, h('div', {}, h('h2', {}, 'Deaths over time'), deaths(group, found)), h('div', {}, h('h2', {}, 'Queues'), queuesOf(group, 20))) : null,
			table(), found.complete ? null : h('p', {class: 'part'}, `The numbers cover the ${exact(found.searched)} jobs that died last. Retry and Delete also apply to older jobs of this group.`),
			list.next ? h('p', {class: 'part'}, group && isFull && found.complete ? `Showing ${exact(list.jobs.length)} of ${plural(group.count, 'job')}. ` : null, button(isFull ? 'Load more' : 'Search more', list.more, {'data-act': 'more'})) : null);
		list.watch(root);
	}

	render();
	load();
	const again = seldom(15000, load);
	return {update() {
		if (list.pages <= 1) {
			again();
		}
	}, refresh: load};
}
