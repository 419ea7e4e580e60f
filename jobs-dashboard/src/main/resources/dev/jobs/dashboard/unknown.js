import {h, show} from './dom.js';
import {empty, heading} from './parts.js';

export const title = 'Page not found';

export default function unknown(root) {
	show(root, heading('Page not found'), h('div', {class: 'card'}, empty(location.hash, 'The address may be mistyped, or the page may have been renamed.',
		h('p', {}, h('a', {class: 'button', href: '#/overview'}, 'Go to the overview')))));
	return {update() {
	}};
}
