import {h, show} from './dom.js';
import {empty, heading} from './parts.js';

export const title = 'No such page';

export default function unknown(root) {
	show(root, heading('There is no such page'), h('div', {class: 'card'}, empty(location.hash, 'The address may be mistyped, or the page may have another name now.',
		h('p', {}, h('a', {class: 'button', href: '#/overview'}, 'Go to the overview')))));
	return {update() {
	}};
}
