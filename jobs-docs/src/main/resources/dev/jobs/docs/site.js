// The menu on narrow screens, and the search over search.js, which is loaded when it is first needed.
const up = document.currentScript.dataset.up;
const field = document.getElementById('search');
const found = document.getElementById('found');
const menu = document.getElementById('menu');
const button = document.getElementById('open-menu');

button.addEventListener('click', () => button.setAttribute('aria-expanded', menu.classList.toggle('open')));

function load() {
	if (!document.getElementById('sections-script')) {
		const script = document.createElement('script');
		script.id = 'sections-script';
		script.src = up + 'search.js';
		script.addEventListener('load', search);
		document.head.append(script);
	}
}

// What the pages call what others call so.
const SYNONYMS = {'dead letter': 'dead', 'dlq': 'dead', 'poison': 'dead', 'cron job': 'schedule', 'recurring': 'schedule', 'rate limit': 'limit', 'throttle': 'limit',
	'throttling': 'limit', 'graalvm': 'native', 'idempotent': 'unique', 'idempotency': 'unique', 'deduplicate': 'unique', 'workflow': 'not included', 'batch': 'many at once', 'visibility timeout': 'lease'};

function words(text) {
	return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

// The words of a query, and those of the same query in the words of the pages.
function readings(query) {
	const asked = words(query);
	const same = Object.entries(SYNONYMS).filter(([theirs]) => ` ${asked.join(' ')}`.includes(` ${theirs}`));
	return [asked, ...same.map(([theirs, ours]) => words(` ${asked.join(' ')} `.replace(new RegExp(` ${theirs}\\S*`), ` ${ours}`)))];
}

// How often a word begins with a text; the words of a name such as JobHandler count too.
function starts(text, word) {
	const plain = text.toLowerCase();
	let count = 0;
	for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + 1)) {
		const before = at > 0 ? text[at - 1] : ' ';
		if (!/[\p{L}\p{N}]/u.test(before) || /\p{Lu}/u.test(text[at]) && /[\p{Ll}\p{N}]/u.test(before)) {
			count++;
		}
	}
	return count;
}

function score([page, heading, , text], asked) {
	let sum = 0;
	for (const word of asked) {
		const hit = (starts(heading, word) ? 8 : 0) + (starts(page, word) ? 4 : 0) + Math.min(3, starts(text, word));
		if (hit === 0) {
			return 0;
		}
		sum += hit;
	}
	return sum / asked.length;
}

// Pages for users come before those for who works on Jobs, and the changelog comes last.
function rank(address) {
	return address.startsWith('CHANGELOG') ? 2 : address.startsWith('docs/') && !address.startsWith('docs/adr/') || address.startsWith('README') ? 0 : 1;
}

function around(text, word) {
	const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
	return (at > 0 ? '…' : '') + text.slice(at, at + 160) + (text.length > at + 160 ? '…' : '');
}

function search() {
	const asked = readings(field.value);
	if (asked[0].length === 0 || !window.sections) {
		found.hidden = true;
		return;
	}
	const hits = window.sections.map((section) => [Math.max(...asked.map((reading, i) => score(section, reading) / (i === 0 ? 1 : 2))), section])
		.filter(([sum]) => sum > 0).sort(([a, one], [b, other]) => rank(one[2]) - rank(other[2]) || b - a).slice(0, 20);
	found.replaceChildren(...hits.map(([, [page, heading, address, text]]) => {
		const item = document.createElement('li');
		const link = document.createElement('a');
		const where = document.createElement('small');
		link.href = up + address;
		link.append(heading === page ? page : page + ' › ' + heading);
		where.append(around(text, asked.flat().find((word) => starts(text, word)) || ''));
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
