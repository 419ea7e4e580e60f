// Who did what, and which versions of the application began to work.

import {h, show} from './dom.js';
import {read} from './api.js';
import {when} from './format.js';
import {bulkActions} from './bulk.js';
import {button, deed, empty, head, heading, link, loads, plain, seldom, toast, unread, workerLink} from './parts.js';

export const title = 'Activity';

const STEP = 100;

export default function activity(root, {store}) {
	let notes = null;
	let limit = STEP;

	const load = loads(async (wanted = limit) => {
		({notes} = await read('activity', {limit: wanted}));
		limit = wanted;
	}, render);

	const bulk = bulkActions(() => render(), true);

	async function more() {
		await load(limit + STEP);
		load.error && toast(load.error.message, true);
	}

	function what(note) {
		const {done, kind, name, queue, rest} = deed(note);
		const to = {queue: ['queues', name], lane: ['queues', queue], pool: ['workers'], worker: ['workers'], schedule: ['schedules'], cause: ['cause', name], step: ['job', queue], signal: ['job', queue], 'bulk action': ['activity'], 'a copy of job': ['job', name]}[kind];
		const isCause = kind === 'cause';
		return [`${done} `, kind ? [`${kind} `, h('a', {href: link(to)}, isCause ? plain(rest.trim()) : name), queue ? ` of ${queue}` : '', isCause ? '' : rest] : note.target];
	}

	function row(note) {
		const {at, surface, action, by, target} = note;
		return h('tr', {'data-key': `${at} ${action} ${target}`}, h('td', {'data-label': 'When', class: 'nowrap'}, when(at)),
			h('td', {'data-label': 'Who', class: 'host'}, action === 'start' ? workerLink(store, by) : plain(by), ['Dashboard', 'Worker', ''].includes(surface) ? null : h('small', {}, ` ${surface}`)),
			h('td', {'data-label': 'What', class: 'name'}, h('span', {}, what(note))));
	}

	function render() {
		show(root, heading('Activity'), bulk.card(), !notes ? unread(load) : !notes.length ? empty('No activity', 'Actions of operators and new versions of the application appear here.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, head(['When', 'Who', 'What']), h('tbody', {}, notes.map(row)))),
		notes?.length === limit ? h('p', {class: 'part'}, button('Load more', more, {'data-act': 'more'})) : null);
	}

	render();
	load();
	const again = seldom(9000, load);
	return {update() {
		bulk.update();
		again();
	}, refresh: load};
}
