import {h, show} from './dom.js';
import {config, read} from './api.js';
import {brief, plural, span, when} from './format.js';
import {button, confirm, dialog, empty, head, heading, link, loads, mayOperate, perform, seldom, unread} from './parts.js';

export const title = 'Schedules';

const FATES = {WAITING: ['Waiting', 'ready'], RETRYING: ['Retrying', 'retrying'], RUNNING: ['Running', 'running'], SUCCEEDED: ['Succeeded', 'succeeded'], ENDED: ['Ended', ''],
	DEAD: ['Dead', 'dead'], CANCELLED: ['Cancelled', ''], NOT_ENQUEUED: ['Not enqueued', 'paused']};
const LATE = 5000;
const MOST_COUNTED = 100;

export default function schedules(root, {store}) {
	let list = null;
	let after = '';
	let page = {};

	const load = loads(async () => list = (page = await read('schedules', {after})).schedules, render);

	function turn(name) {
		after = name;
		load();
	}

	function pages() {
		return after || page.next ? h('div', {class: 'row end'}, after ? button('First page', () => turn('')) : null, page.next ? button('Next page', () => turn(page.next)) : null) : null;
	}

	async function run(schedule) {
		const sure = await confirm({title: `Run ${schedule.name} now?`, text: 'This enqueues one job.', label: 'Run now'});
		if (sure && await perform('trigger', {schedule: schedule.name}, (done) => done.count ? `${schedule.name} enqueued` : `An equal job of ${schedule.name} is already waiting`)) {
			load();
		}
	}

	async function pause(schedule) {
		const name = schedule.paused ? 'resume' : 'pause';
		const sure = schedule.paused || await confirm({title: `Pause the schedule ${schedule.name}?`, label: 'Pause',
			text: 'It enqueues no jobs until it is resumed, and missed ticks are not made up for. Enqueued jobs still run.'});
		if (sure && await perform(name, {schedule: schedule.name}, () => `${schedule.name} ${schedule.paused ? 'continues with its next tick' : 'is paused'}`)) {
			load();
		}
	}

	async function drop(schedule) {
		const text = schedule.overrides ? `The application declares ${schedule.overrides}, which counts again.` : 'It enqueues no more jobs. Enqueued jobs still run.';
		if (await confirm({title: `${schedule.overrides ? 'Reset' : 'Drop'} the schedule ${schedule.name}?`, text, label: schedule.overrides ? 'Reset' : 'Drop'})
				&& await perform('drop', {schedule: schedule.name}, () => `${schedule.name} is ${schedule.overrides ? 'reset' : 'dropped'}`)) {
			load();
		}
	}

	// The dialog stays open while the server refuses what was entered.
	async function edit(schedule) {
		const done = await dialog(schedule ? `Change the schedule ${schedule.name}` : 'New schedule', (close) => {
			const field = (name, label, props, value) => [h('label', {for: `put-${name}`}, label), h(name === 'payload' ? 'textarea' : 'input', {id: `put-${name}`, name, spellcheck: 'false', autocomplete: 'off', ...props, value: value || ''})];
			return [h('form', {onsubmit: async (event) => {
				event.preventDefault();
				const wish = Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value.trim()));
				if (await perform('put', {...wish, schedule: schedule?.name || wish.schedule}, ({outcome}) => `${schedule?.name || wish.schedule} is ${outcome === 'UNCHANGED' ? 'as it was' : outcome === 'NEW' && !schedule ? 'created' : 'changed'}`)) {
					close(true);
				}
			}}, h('p', {}, !schedule ? 'It enqueues a job at each tick.' : schedule.put ? 'The payload stays as it is if the field is empty.' : 'This overrides the schedule that the application declares, with its payload, until it is reset.'),
			h('div', {class: 'fields'}, schedule ? null : field('schedule', 'Name', {required: true}), field('cron', 'When', {required: true, placeholder: '0 30 2 * * MON-FRI or @every 10m'}, schedule?.expression),
				field('zone', 'Time zone', {placeholder: 'UTC'}, schedule?.expression?.startsWith('@every') ? '' : schedule?.zone), field('job', 'Queue', {required: true, list: 'put-queues'}, schedule?.jobName),
				h('datalist', {id: 'put-queues'}, (store.overview?.queues || []).map(({name}) => h('option', {value: name}))),
				config.payloads ? field('payload', 'Payload as JSON', {rows: 4}) : null),
			h('div', {class: 'row end'}, button('Cancel', () => close()), h('button', {type: 'submit', class: 'primary', id: 'dialog-yes'}, schedule ? 'Change' : 'Create')))];
		}, 'wide');
		if (done) {
			load();
		}
	}

	function fate(run) {
		const [label, cls] = FATES[run.fate] || [run.fate, ''];
		const ended = run.fate === 'ENDED';
		const pill = [h('span', {class: `pill ${cls}`}, label), run.ranMillis >= 0 || ended ? h('small', {class: 'ran'}, ended ? 'job no longer kept' : span(run.ranMillis)) : null];
		return ended ? h('span', {title: 'Its job was not kept, or was removed, and its duration with it'}, pill) : h('a', {href: link(['job'], {id: run.jobId})}, pill);
	}

	function runs(schedule) {
		const list = schedule.runs || [];
		if (!list.length) {
			return h('span', {class: 'muted'}, schedule.last ? when(schedule.last) : 'none yet');
		}
		return [h('div', {class: 'nowrap'}, fate(list[0]), ' ', when(list[0].tick), list[0].passedOver ? h('small', {class: 'bad'}, `${skipped(list[0])} before`) : null),
			h('details', {'data-key': `runs ${schedule.name}`}, h('summary', {}, list.length === 1 ? 'Details' : `Last ${list.length}`),
				h('ol', {class: 'ticks runs'}, list.map((run) => [h('li', {}, fate(run), ' ', brief(run.tick), Date.parse(run.firedAt) - Date.parse(run.tick) > LATE ? h('span', {class: 'bad'}, ` ${span(Date.parse(run.firedAt) - Date.parse(run.tick))} late`) : null),
					run.passedOver ? h('li', {class: 'bad'}, `${skipped(run)} before this run`) : null])))];
	}

	// Ticks that were not fired: no process ran, or the misfire rule or a pause left them out.
	function skipped(run) {
		return `${run.passedOver === MOST_COUNTED ? 'at least ' : ''}${plural(run.passedOver, 'tick')} skipped`;
	}

	function next(schedule) {
		const [first, ...others] = schedule.ticks;
		if (schedule.paused || !first) {
			return schedule.paused ? 'paused' : !schedule.expression ? 'unknown' : 'never';
		}
		return [h('div', {class: 'nowrap'}, when(first)),
			others.length ? h('details', {'data-key': `next ${schedule.name}`}, h('summary', {}, `Next ${others.length + 1}`), h('ol', {class: 'ticks'}, [first, ...others].map((at) => h('li', {}, brief(at))))) : null];
	}

	function row(schedule) {
		const queue = store.overview?.queues.find((it) => it.name === schedule.jobName);
		return h('tr', {'data-key': schedule.name},
			h('td', {class: 'name'}, h('b', {}, schedule.name), schedule.fault || !schedule.expression ? h('span', {class: 'pill dead', title: schedule.fault}, 'Broken') : null, schedule.overrides ? h('span', {class: 'pill scheduled', title: `The application declares ${schedule.overrides}`}, 'Overridden') : null, schedule.paused ? h('span', {class: 'pill paused'}, 'Paused') : null, queue?.paused ? h('span', {class: 'pill paused'}, 'Queue paused') : null),
			h('td', {'data-label': 'When'}, h('code', {class: 'expression'}, schedule.expression || schedule.definition), h('small', {}, !schedule.expression ? 'Not readable by this version' : schedule.expression.startsWith('@every') ? null : schedule.zone === 'Z' ? 'UTC' : schedule.zone)),
			h('td', {'data-label': 'Queue'}, h('a', {href: link(['queues', schedule.jobName])}, schedule.jobName)),
			h('td', {'data-label': 'Last runs'}, runs(schedule)),
			h('td', {'data-label': 'Next'}, next(schedule)),
			h('td', {class: 'acts'}, mayOperate() ? button('Run now', () => run(schedule), {class: 'small', 'data-act': 'trigger', 'aria-label': `Run now: ${schedule.name}`}) : null, mayOperate() ? button(schedule.paused ? 'Resume' : 'Pause', () => pause(schedule), {class: 'small', 'data-act': schedule.paused ? 'resume' : 'pause', 'aria-label': `${schedule.paused ? 'Resume' : 'Pause'} the schedule ${schedule.name}`}) : null,
				mayOperate() && schedule.expression ? button('Change', () => edit(schedule), {class: 'small', 'data-act': 'put', 'aria-label': `Change the schedule ${schedule.name}`}) : null,
				mayOperate() && schedule.put ? button(schedule.overrides ? 'Reset' : 'Drop', () => drop(schedule), {class: 'small', 'data-act': 'drop', 'aria-label': `${schedule.overrides ? 'Reset' : 'Drop'} the schedule ${schedule.name}`}) : null));
	}

	function render() {
		show(root, heading('Schedules', list ? h('p', {}, plural(page.total, 'schedule')) : null, list && mayOperate() ? h('div', {class: 'row end'}, button('New schedule', () => edit(), {'data-act': 'put'})) : null), !list ? unread(load) : page.total === 0
			? empty('No schedules', 'Give a handler a cron expression, set jobs.schedules, or create one here.')
			: h('div', {class: 'card flush'}, h('table', {class: 'cards'}, head(['Name', 'When', 'Queue', 'Last runs', 'Next', null]), h('tbody', {}, list.map(row)))), pages());
	}

	render();
	load();
	return {update: seldom(5500, load), refresh: load};
}
