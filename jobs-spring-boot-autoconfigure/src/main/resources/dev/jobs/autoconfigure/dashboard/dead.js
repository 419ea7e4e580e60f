import {h, show} from './dom.js';
import {read} from './api.js';
import {exact, when} from './format.js';
import {actOnJobs, button, empty, failure, heading, link, loading, mayOperate} from './parts.js';

export const title = 'Dead';

export default function dead(root, {args}) {
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

	async function perform(name, group) {
		if (await actOnJobs(name, {group: {queue: group.queue, error: group.error}}, group.count, 'dead job')) {
			load();
		}
	}

	async function everything(name) {
		if (await actOnJobs(name, {filter: {state: 'dead', queue}}, found.count, 'dead job')) {
			load();
		}
	}

	function row(group) {
		return h('tr', {'data-key': `${group.queue} ${group.error}`},
			h('td', {class: 'num', 'data-label': 'Jobs'}, h('strong', {}, exact(group.count))),
			h('td', {class: 'name'}, h('a', {href: link(['jobs'], {state: 'dead', queue: group.queue})}, group.queue)),
			h('td', {class: 'error', 'data-label': 'Error'}, group.error || '–'),
			h('td', {'data-label': 'First', class: 'nowrap'}, when(group.first)), h('td', {'data-label': 'Latest', class: 'nowrap'}, when(group.latest)),
			h('td', {class: 'acts'}, h('a', {class: 'button small', href: link(['job'], {id: group.example})}, 'Example'), mayOperate() ? [button('Retry', () => perform('retry', group), {class: 'small primary', 'data-act': 'retry'}),
				button('Delete', () => perform('delete', group), {class: 'small danger', 'data-act': 'delete'})] : null));
	}

	function render() {
		show(root, heading(queue ? `Dead in ${queue}` : 'Dead', found ? h('p', {}, `${exact(found.count)} ${found.count === 1 ? 'job is' : 'jobs are'} dead`) : null,
			found && found.count && mayOperate() ? h('div', {class: 'row end'}, button('Retry all', () => everything('retry'), {class: 'primary', 'data-act': 'retry-all'}), button('Delete all', () => everything('delete'), {class: 'danger', 'data-act': 'delete-all'})) : null),
		error ? failure(error, load) : !found ? loading() : found.groups.length === 0 ? empty('Nobody died', 'Jobs that failed for good are kept here, with their errors, until you retry or delete them.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, h('thead', {}, h('tr', {}, ['Jobs', 'Queue', 'Error', 'First', 'Latest', ''].map((name, i) => h('th', {scope: 'col', class: i === 0 ? 'num' : ''}, name)))), h('tbody', {}, found.groups.map(row)))),
		found && found.complete === false ? h('p', {class: 'muted'}, `Only the newest ${exact(found.searched)} were looked at.`) : null,
		found && found.count ? h('p', {}, h('a', {href: link(['jobs'], {state: 'dead', queue, order: 'newest'})}, 'See each of them')) : null);
	}

	render();
	load();
	return {update: load, refresh: load};
}
