// Where to go, or what to do, by typing some of it.

import {h} from './dom.js';
import {config, read} from './api.js';
import {link, mayOperate, pauseQueue, toast} from './parts.js';
import {combobox} from './query.js';

export function palette({store, navigate, refresh, commands}) {
	const dialog = h('dialog', {class: 'dialog palette', 'aria-label': 'Go to or act'});
	const list = h('ul', {id: 'palette-options', role: 'listbox', 'aria-label': 'Matches', hidden: true});
	const field = h('input', {type: 'text', id: 'palette', role: 'combobox', 'aria-label': 'Page, queue, job ID or action', 'aria-expanded': 'false', 'aria-controls': 'palette-options', 'aria-autocomplete': 'list',
		autocomplete: 'off', spellcheck: 'false', placeholder: 'Page, queue, job ID or action'});
	const close = () => {
		dialog.close();
		dialog.remove();
	};

	// Of very many queues the overview holds some.
	const known = store.overview ? store.overview.queues : [];
	let more = [];
	field.addEventListener('input', async () => {
		const name = field.value.trim().split(/\s+/).at(-1);
		if (name && store.overview && known.length < store.overview.queueCount) {
			more = await read('queues', {name, limit: 10}).then((found) => found.queues, () => []);
			dialog.open && box.look();
		}
	});

	async function open(id) {
		const job = await read('job', {id, optional: 'true'}).catch((error) => error);
		job.id ? navigate(link(['job'], {id})) : toast(job.message || `No job has the ID ${id}.`, true);
	}

	function suggest() {
		const text = field.value.trim();
		const fits = (label) => text.toLowerCase().split(/\s+/).every((part) => label.toLowerCase().includes(part));
		const queues = [...new Map([...known, ...more].map((queue) => [queue.name, queue])).values()];
		const option = (label, about, run) => ({label, about, run});
		return [...commands.map(([label, run]) => option(label, '', run)),
			...text ? queues.map((queue) => option(queue.name, 'queue', () => navigate(link(['queues', queue.name])))) : [],
			...text && mayOperate() ? queues.map((queue) => option(`${queue.paused ? 'Resume' : 'Pause'} ${queue.name}`, 'queue', () => pauseQueue(queue, refresh))) : []]
			.filter(({label}) => fits(label)).slice(0, 10)
			.concat(/^\S{8,}$/.test(text) ? option(`Open job ${text}`, 'ID', () => open(text)) : [], text && config.payloads ? option(`Search jobs for ${text}`, '', () => navigate(link(['jobs'], {text}))) : []);
	}

	const box = combobox({field, list, suggest, first: true, accept: ({run}) => {
		close();
		run();
	}});
	dialog.addEventListener('cancel', close);
	dialog.append(field, list);
	document.body.append(dialog);
	dialog.showModal();
	field.focus();
}
