// Bulk actions: what workers do to many jobs in the background, with their progress.

import {h} from './dom.js';
import {read} from './api.js';
import {atLeast, brief, exact, plural, span, when} from './format.js';
import {DONE, VERB, button, confirm, head, link, mayOperate, perform, seldom, shareBar, upper} from './parts.js';
import {written} from './query.js';

// The bulk actions of a page: all of them, or those under way.
export function bulkActions(render, all) {
	let list = [];

	async function load() {
		list = (await read('bulk').catch(() => ({bulk: list}))).bulk;
		render();
	}

	async function change(bulk) {
		const act = bulk.state === 'running' ? 'stop' : 'resume';
		const sure = act === 'resume' || await confirm({title: 'Stop this bulk action?', text: 'Jobs that were changed stay changed. You can resume it later.', label: 'Stop', dismiss: 'Keep it running'});
		if (sure && await perform(act, {bulk: bulk.id}, () => `Bulk action ${DONE[act]}`, 'the bulk action')) {
			await load();
		}
	}

	function what({action, filter, dueAt, toLane}) {
		const {name: queue, ...rest} = filter;
		const jobs = written({queue, ...rest});
		return [`${VERB[action]} `, jobs ? h('a', {href: link(['jobs'], {queue, ...rest})}, jobs) : 'jobs', dueAt ? [' to ', brief(dueAt)] : null, action === 'move' ? ` to ${toLane ? `lane ${toLane}` : 'no lane'}` : null];
	}

	// Less than all of it while it is not done.
	function portion(bulk) {
		return Math.min(bulk.state === 'done' ? 100 : 99, Math.floor(bulk.share * 100));
	}

	function figures(bulk) {
		const {done, skipped, failed, total, exact: known, state, remainingSeconds} = bulk;
		return h('small', {}, state === 'done' ? `${plural(done, 'job')} ${DONE[bulk.action]}` : `${exact(done)} of ${known ? exact(total) : atLeast(total, true, 'about ')} ${DONE[bulk.action]}`,
			skipped ? `, ${exact(skipped)} skipped` : null, failed ? h('span', {class: 'error'}, `, ${exact(failed)} failed`) : null,
			remainingSeconds ? `, about ${span(remainingSeconds * 1000)} left` : null);
	}

	function row(bulk) {
		const act = bulk.state === 'running' ? 'Stop' : 'Resume';
		return h('tr', {'data-key': bulk.id},
			h('td', {class: 'name', 'data-label': 'What'}, h('div', {}, what(bulk), bulk.error ? h('small', {class: 'error', title: bulk.error}, bulk.error) : null)),
			h('td', {'data-label': 'Started', class: 'nowrap'}, h('div', {}, when(bulk.startedAt), h('small', {}, ` by ${bulk.by || 'an operator'}`))),
			h('td', {'data-label': 'Progress'}, h('div', {}, shareBar(portion(bulk), `Progress of ${bulk.action}`), figures(bulk))),
			h('td', {class: 'acts'}, bulk.state !== 'running' ? h('span', {class: 'muted'}, upper(bulk.state), ' ') : null, mayOperate() && bulk.state !== 'done' ? button(act, () => change(bulk), {class: 'small', 'data-act': act.toLowerCase(), 'aria-label': `${act} ${bulk.action}`}) : null));
	}

	const again = seldom(1400, load);
	load();
	return {load, update: again, card() {
		const shown = list.filter((bulk) => all || bulk.state === 'running');
		return shown.length === 0 ? null : h('section', {class: 'card flush', 'data-key': 'bulk'}, h('h2', {}, 'Bulk actions'),
			h('table', {class: 'cards tight'}, head(['What', 'Started', 'Progress', null]), h('tbody', {}, shown.map(row))));
	}};
}
