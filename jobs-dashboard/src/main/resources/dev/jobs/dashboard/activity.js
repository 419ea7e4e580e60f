// Who did what, and which versions of the application began to work.

import {h, show} from './dom.js';
import {read} from './api.js';
import {when} from './format.js';
import {DONE, button, empty, failure, head, heading, link, loading, plain, seldom, workerLink} from './parts.js';

export const title = 'Activity';

const STEP = 100;

const TARGET = /^(queue|schedule|cause|a copy of job) ("(?:[^"\\]|\\.)*"|\S+)(.*)$/;

export default function activity(root, {store}) {
	let notes = null;
	let error = null;
	let limit = STEP;

	async function load() {
		try {
			({notes} = await read('activity', {limit}));
			error = null;
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	function what(text) {
		const [, kind, quoted, rest] = TARGET.exec(text) || [];
		const name = quoted && plain(quoted);
		const to = {queue: ['queues', name], schedule: ['schedules'], cause: ['cause', name], 'a copy of job': ['job', name]}[kind];
		return !kind ? text : kind === 'cause' ? ['cause ', h('a', {href: link(to)}, plain(rest.trim()))] : [`${kind} `, h('a', {href: link(to)}, name), rest];
	}

	function row({at, surface, action, by, target}) {
		return h('tr', {'data-key': `${at} ${action} ${target}`}, h('td', {'data-label': 'When', class: 'nowrap'}, when(at)),
			h('td', {'data-label': 'Who', class: 'host'}, action === 'start' ? workerLink(store, by) : plain(by), ['Dashboard', 'Worker'].includes(surface) ? null : h('small', {}, ` ${surface}`)),
			h('td', {'data-label': 'Did', class: 'name'}, h('span', {}, `${DONE[action] || action} `, what(target))));
	}

	function render() {
		show(root, heading('Activity'), error && !notes ? failure(error, load) : !notes ? loading() : !notes.length ? empty('No activity', 'Actions of operators and new versions of the application appear here.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, head(['When', 'Who', 'Did']), h('tbody', {}, notes.map(row)))),
		notes && notes.length === limit ? h('p', {class: 'part'}, button('Load more', () => {
			limit += STEP;
			return load();
		}, {'data-act': 'more'})) : null);
	}

	render();
	load();
	return {update: seldom(9000, load), refresh: load};
}
