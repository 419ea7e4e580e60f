import {h, show} from './dom.js';
import {read} from './api.js';
import {exact, moment, when} from './format.js';
import {button, confirm, empty, failure, heading, link, loading, mayOperate, pauseButton, perform, seldom} from './parts.js';

export const title = 'Schedules';

export default function schedules(root, {store, refresh}) {
	let list = null;
	let error = null;

	async function load() {
		try {
			list = (await read('schedules')).schedules;
			error = null;
		}
		catch (problem) {
			error = problem;
		}
		render();
	}

	async function run(schedule) {
		const sure = await confirm({title: `Run ${schedule.name} now?`, text: 'One job is enqueued now. The schedule goes on as before.', label: 'Run it now'});
		if (sure && await perform('trigger', {schedule: schedule.name}, (done) => done.count ? `${schedule.name} was enqueued` : `An equal job of ${schedule.name} waits already`)) {
			load();
		}
	}

	function row(schedule) {
		const queue = store.overview && store.overview.queues.find((it) => it.name === schedule.queue);
		const [first, ...others] = schedule.next;
		return h('tr', {'data-key': schedule.name},
			h('td', {class: 'name'}, h('b', {}, schedule.name), queue && queue.paused ? h('span', {class: 'pill paused'}, 'Paused') : null),
			h('td', {'data-label': 'When'}, h('span', {class: 'words'}, schedule.words || 'not understood here'), h('small', {}, h('code', {}, schedule.expression || schedule.definition), schedule.zone ? ` ${schedule.zone}` : null)),
			h('td', {'data-label': 'Job'}, h('a', {href: link(['queues', schedule.queue])}, schedule.queue)),
			h('td', {'data-label': 'Latest', class: 'nowrap'}, when(schedule.latest)),
			h('td', {'data-label': 'Next'}, first ? h('details', {}, h('summary', {}, when(first)), h('ol', {class: 'ticks'}, others.map((at) => h('li', {}, moment(at))))) : 'never'),
			h('td', {class: 'acts'}, mayOperate() ? button('Run now', () => run(schedule), {class: 'small', 'data-act': 'trigger', 'aria-label': `Run ${schedule.name} now`}) : null, queue ? pauseButton(queue, refresh) : null));
	}

	function render() {
		show(root, heading('Schedules', list ? h('p', {}, exact(list.length)) : null), error ? failure(error, load) : !list ? loading() : list.length === 0
			? empty('There is no schedule', 'Give a handler a cron expression, or set jobs.schedules.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, h('thead', {}, h('tr', {}, ['Name', 'When', 'Job', 'Latest', 'Next', ''].map((name) => h('th', {scope: 'col'}, name)))), h('tbody', {}, list.map(row)))));
	}

	render();
	load();
	return {update: seldom(5500, load), refresh: load};
}
