// Builds and updates elements. Data only ever becomes text or the value of a known attribute.

import {config} from './api.js';

const SVG = 'http://www.w3.org/2000/svg';
const HANDLERS = ['onclick', 'onchange', 'oninput', 'onsubmit', 'onkeydown'];

export function h(tag, props, ...children) {
	return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
	for (const [name, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) {
			continue;
		}
		if (HANDLERS.includes(name)) {
			element[name] = value;
		}
		else if (name === 'style') {
			for (const [rule, setting] of Object.entries(value)) {
				element.style.setProperty(rule, setting);
			}
		}
		else if (name === 'href' && !/^(#|api\/payload\?)/.test(value) && !(config.trace && value.startsWith(config.trace.split('{')[0]))) {
			throw new Error('Links lead nowhere else');
		}
		else {
			element.setAttribute(name, value === true ? '' : value);
		}
	}
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
		.map((child) => child instanceof Node ? child : document.createTextNode(String(child))));
	return element;
}

// Makes the content of an element equal to new nodes, keeping unchanged parts, so that focus, scrolling and
// open details stay.
export function show(parent, ...nodes) {
	const wanted = nodes.flat(Infinity).filter((node) => node)
		.map((node) => node instanceof Node ? node : document.createTextNode(String(node)));
	const focused = parent.contains(document.activeElement);
	children(parent, wanted);
	if (parent.held) {
		holdActions(parent);
	}
	if (focused && !parent.contains(document.activeElement)) {
		keepPlace(parent);
	}
}

// While an action is under way, no other can begin on its page: the buttons for actions are disabled, however
// often the page is drawn, and the pressed one is busy.
export function hold(page, button) {
	page.held = button;
	holdActions(page);
}

export function release(page) {
	const button = page.held;
	page.held = null;
	page.querySelectorAll('[data-act]').forEach((it) => it.disabled = false);
	button.removeAttribute('aria-busy');
	if (page.isConnected && document.activeElement === document.body) {
		button.isConnected ? button.focus({preventScroll: true}) : keepPlace(page);
	}
}

function holdActions(page) {
	page.querySelectorAll('[data-act]').forEach((it) => it.disabled = true);
	page.held.setAttribute('aria-busy', 'true');
}

// The element with the focus is gone, so the keyboard continues from the title.
function keepPlace(parent) {
	const title = parent.querySelector('h1');
	if (title) {
		title.focus({preventScroll: true});
	}
}

function children(parent, wanted) {
	const keyed = new Map();
	for (const child of parent.childNodes) {
		const key = keyOf(child);
		if (key !== null) {
			keyed.set(key, child);
		}
	}
	let position = parent.firstChild;
	for (const node of wanted) {
		const key = keyOf(node);
		let old = key !== null ? keyed.get(key) : position;
		if (old && key === null && keyOf(old) !== null) {
			old = null;
		}
		if (old && same(old, node)) {
			if (old !== position) {
				parent.insertBefore(old, position);
			}
			else {
				position = position.nextSibling;
			}
			update(old, node);
		}
		else {
			parent.insertBefore(node, position);
			if (old && old === position && key === null) {
				position = position.nextSibling;
				old.remove();
			}
		}
	}
	while (position) {
		const next = position.nextSibling;
		position.remove();
		position = next;
	}
}

function keyOf(node) {
	return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;
}

function same(old, node) {
	return old.nodeType === node.nodeType && old.nodeName === node.nodeName && keyOf(old) === keyOf(node);
}

function update(old, node) {
	if (old === node) {
		return;
	}
	if (node.nodeType === Node.TEXT_NODE) {
		if (old.data !== node.data) {
			old.data = node.data;
		}
		return;
	}
	for (const {name, value} of node.attributes) {
		if (name === 'style') {
			old.style.cssText = node.style.cssText;
		}
		else if (old.getAttribute(name) !== value) {
			old.setAttribute(name, value);
			if (name === 'value' && old !== document.activeElement) {
				old.value = value;
			}
		}
	}
	for (const {name} of [...old.attributes]) {
		if (!node.hasAttribute(name) && !(name === 'open')) {
			old.removeAttribute(name);
		}
	}
	for (const handler of HANDLERS) {
		old[handler] = node[handler];
	}
	if (old.type === 'checkbox') {
		old.checked = node.hasAttribute('checked');
		old.indeterminate = node.hasAttribute('data-some');
	}
	children(old, [...node.childNodes]);
}
