// Who did what, and which versions of the application began to work.

import {h, show} from './dom.js';
import {read} from './api.js';
import {when} from './format.js';
import {button, deed, empty, failure, head, heading, link, loading, plain, seldom, toast, workerLink} from './parts.js';

export const title = 'Activity';

const STEP = 100;

export default function activity(root, {store}) {
	let notes = null;
	let error = null;
	let limit = STEP;

	async function load(wanted) {
		try {
			({notes} = await read('activity', {limit: wanted || limit}));
			limit = wanted || limit;
			error = null;
		}
		catch (problem) {
			error = problem;
			wanted && toast(problem.message, true);
		}
		render();
	}

	function what(note) {
		const {done, kind, name, rest} = deed(note);
		const to = {queue: ['queues', name], schedule: ['schedules'], cause: ['cause', name], 'a copy of job': ['job', name]}[kind];
		const isCause = kind === 'cause';
		return [`${done} `, kind ? [`${kind} `, h('a', {href: link(to)}, isCause ? plain(rest.trim()) : name), isCause ? '' : rest] : note.target];
	}

	function row(note) {
		const {at, surface, action, by, target} = note;
		return h('tr', {'data-key': `${at} ${action} ${target}`}, h('td', {'data-label': 'When', class: 'nowrap'}, when(at)),
			h('td', {'data-label': 'Who', class: 'host'}, action === 'start' ? workerLink(store, by) : plain(by), ['Dashboard', 'Worker', ''].includes(surface) ? null : h('small', {}, ` ${surface}`)),
			h('td', {'data-label': 'What', class: 'name'}, h('span', {}, what(note))));
	}

	function render() {
		show(root, heading('Activity'), error && !notes ? failure(error, () => load()) : !notes ? loading() : !notes.length ? empty('No activity', 'Actions of operators and new versions of the application appear here.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, head(['When', 'Who', 'What']), h('tbody', {}, notes.map(row)))),
		notes?.length === limit ? h('p', {class: 'part'}, button('Load more', () => load(limit + STEP), {'data-act': 'more'})) : null);
	}

	render();
	load();
	return {update: seldom(9000, load), refresh: load};
}
