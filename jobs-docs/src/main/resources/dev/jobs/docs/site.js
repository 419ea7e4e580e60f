// The menu on narrow screens, and the search over search.js, which is loaded when it is first needed.
const up = document.currentScript.dataset.up;
const field = document.getElementById('search');
const found = document.getElementById('found');
const menu = document.getElementById('menu');
const button = document.getElementById('open-menu');

button.addEventListener('click', () => button.setAttribute('aria-expanded', menu.classList.toggle('open')));

function load() {
	if (!window.pages && !document.getElementById('pages')) {
		const script = document.createElement('script');
		script.id = 'pages';
		script.src = up + 'search.js';
		script.addEventListener('load', search);
		document.head.append(script);
	}
}

function score(section, words) {
	const [page, heading, , text] = section.map((part) => part.toLowerCase());
	let sum = 0;
	for (const word of words) {
		const hit = (heading.includes(word) ? 8 : 0) + (page.includes(word) ? 4 : 0)
			+ Math.min(3, text.split(word).length - 1);
		if (hit === 0) {
			return 0;
		}
		sum += hit;
	}
	return sum;
}

function around(text, word) {
	const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
	return (at > 0 ? '…' : '') + text.slice(at, at + 160) + (text.length > at + 160 ? '…' : '');
}

function search() {
	const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
	if (words.length === 0 || !window.pages) {
		found.hidden = true;
		return;
	}
	const hits = window.pages.map((section) => [score(section, words), section]).filter(([sum]) => sum > 0)
		.sort((a, b) => b[0] - a[0]).slice(0, 20);
	found.replaceChildren(...hits.map(([, [page, heading, address, text]]) => {
		const item = document.createElement('li');
		const link = document.createElement('a');
		const where = document.createElement('small');
		link.href = up + address;
		link.append(heading === page ? page : page + ' › ' + heading);
		where.append(around(text, words[0]));
		link.append(where);
		item.append(link);
		return item;
	}));
	if (hits.length === 0) {
		const none = document.createElement('li');
		none.append('Nothing found');
		found.append(none);
	}
	found.hidden = false;
}

field.addEventListener('focus', load);
field.addEventListener('input', search);
field.addEventListener('keydown', (event) => {
	const first = found.querySelector('a');
	if (event.key === 'Enter' && first) {
		location.href = first.href;
	}
	if (event.key === 'Escape') {
		field.value = '';
		search();
	}
});
document.addEventListener('keydown', (event) => {
	if (event.key === '/' && document.activeElement !== field) {
		event.preventDefault();
		field.focus();
	}
});
document.addEventListener('click', (event) => {
	if (!event.target.closest('.search')) {
		found.hidden = true;
	}
});
