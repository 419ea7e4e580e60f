// The frame around the pages: navigation, live updates, keyboard shortcuts and theme.

import {h, show} from './dom.js';
import {config, missed, read} from './api.js';
import {count, setNow, span, usesUtc, useUtc, zone} from './format.js';
import {palette} from './query.js';
import * as overview from './overview.js';
import * as queues from './queues.js';
import * as jobs from './jobs.js';
import * as job from './job.js';
import * as workers from './workers.js';
import * as schedules from './schedules.js';
import * as dead from './dead.js';
import * as activity from './activity.js';
import {button, dialog, empty, heading} from './parts.js';

const unknown = {title: 'Page not found', default(root) {
	show(root, heading('Page not found'), h('div', {class: 'card'}, empty(location.hash, 'The address may be mistyped.',
		h('p', {}, h('a', {class: 'button', href: '#/overview'}, 'Go to the overview')))));
	return {update() {
	}};
}};
const PAGES = {overview, queues, jobs, job, workers, schedules, dead, cause: {...dead, default: dead.cause}, activity, unknown};
const NAV = [['overview', 'Overview', 'o'], ['queues', 'Queues', 'q'], ['jobs', 'Jobs', 'j'], ['workers', 'Workers', 'w'], ['schedules', 'Schedules', 's'], ['dead', 'Dead', 'd'], ['activity', 'Activity', 'a']];
const PARENTS = {job: 'jobs', cause: 'dead'};

const store = {overview: null};
let current = null;
let timer = null;
let turn = 0;
let trouble = null;
let heardAt = 0;

const main = h('main', {id: 'main'});
const nav = h('nav', {class: 'nav', 'aria-label': 'Pages'});
const status = h('div', {class: 'status', role: 'status'});
const banner = h('div', {class: 'banner', role: 'alert', hidden: true});
const clock = h('button', {type: 'button', class: 'icon zone', onclick: changeZone});
const toasts = h('div', {id: 'toasts', role: 'status', 'aria-live': 'polite'});

document.getElementById('app').append(
	h('a', {class: 'skip', href: '#main', onclick: (event) => {
		event.preventDefault();
		focusPage();
	}}, 'Skip to content'),
	h('header', {class: 'top'}, h('a', {class: 'brand', href: '#/'}, h('span', {class: 'logo', 'aria-hidden': 'true'}), 'Jobs'), nav,
		h('div', {class: 'tools'}, status, config.user ? h('span', {class: 'user', title: config.operate ? 'Can view and act' : 'Can view'}, config.user) : null,
			clock, h('button', {type: 'button', class: 'icon', 'aria-label': 'Show rows closer together or further apart', title: 'Show rows closer together or further apart (c)', onclick: pack}, '≡'),
			h('button', {type: 'button', class: 'icon', 'aria-label': 'Switch between light and dark', title: 'Switch between light and dark (t)', onclick: light}, '◐'),
			h('button', {type: 'button', class: 'icon', 'aria-label': 'Keyboard shortcuts', title: 'Keyboard shortcuts (?)', onclick: help}, '?'))),
	banner, main, toasts);

// --- navigation

function where() {
	const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
	const [name, ...args] = path.split('/').filter((part) => part).map(decode);
	return {name: name === undefined ? 'overview' : Object.hasOwn(PAGES, name) ? name : 'unknown', args, params: Object.fromEntries(new URLSearchParams(query || ''))};
}

function decode(part) {
	try {
		return decodeURIComponent(part);
	}
	catch (error) {
		return part;
	}
}

function navigate(hash) {
	if (location.hash === hash) {
		route();
	}
	else {
		location.hash = hash;
	}
}

function route(event) {
	const {name, args, params} = where();
	const page = PAGES[name];
	closeDialogs();
	// Only this opening of the page draws here. Replies that arrive after it was left are not drawn.
	const root = h('div', {class: 'page'});
	main.replaceChildren(root);
	entitle(`${page.title}${args[0] ? ' · ' + args[0] : ''}`);
	current = null;
	const opened = page.default(root, {store, args, params, refresh, navigate: (hash) => root.isConnected && navigate(hash), entitle: (text) => root.isConnected && entitle(text)});
	current = opened;
	if (store.overview) {
		opened.update();
	}
	drawNav(name);
	showCurrentLink();
	if (event) {
		window.scrollTo(0, 0);
		focusPage();
	}
}

function entitle(text) {
	document.title = `${text} – Jobs`;
}

// A dialog belongs to the page that opened it.
function closeDialogs() {
	document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.dispatchEvent(new Event('cancel')));
}

function focusPage() {
	const title = main.querySelector('h1');
	if (title) {
		title.focus({preventScroll: true});
	}
}

function drawNav(name) {
	const totals = store.overview?.totals;
	show(nav, NAV.map(([page, label]) => h('a', {href: `#/${page}`, 'aria-current': page === name || page === PARENTS[name] ? 'page' : null}, label,
		page === 'dead' && totals?.dead > 0 ? h('span', {class: 'count'}, count(totals, 'dead')) : null)));
}

// On a narrow screen the navigation scrolls, and the link to the current page may be out of sight.
function showCurrentLink() {
	const link = nav.querySelector('[aria-current]');
	if (link) {
		nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
	}
}

// --- live updates

async function refresh() {
	await poll();
	if (current?.refresh) {
		current.refresh();
	}
}

function heard(state) {
	const first = !store.overview;
	heardAt = Date.now();
	store.overview = state;
	setNow(state.now);
	complain(null);
	drawNav(where().name);
	if (first) {
		showCurrentLink();
	}
	if (current && !document.querySelector('dialog[open]')) {
		current.update();
	}
	// Failed requests of a page are repeated.
	if (missed.any && current?.refresh) {
		missed.any = false;
		current.refresh();
	}
}

function complain(text, status) {
	const age = Date.now() - heardAt;
	const refused = status === 401 || status === 403;
	trouble = text;
	banner.hidden = !text;
	show(banner, text ? [h('strong', {}, text), ' ', store.overview && age > config.refresh ? `The data is ${span(age)} old. ` : '',
		refused ? h('button', {type: 'button', class: 'small', onclick: () => location.reload()}, 'Reload') : 'Reconnecting automatically.'] : []);
	drawStatus();
}

function drawStatus() {
	const [cls, text] = trouble ? ['bad', 'Disconnected'] : document.hidden ? ['idle', 'Paused'] : ['good', 'Live'];
	show(status, h('span', {class: `dot ${cls}`, 'aria-hidden': 'true'}), h('span', {}, text));
}

// Polls again some time after each answer. Of several requests under way only the latest counts.
async function poll() {
	const mine = ++turn;
	clearTimeout(timer);
	const hear = await read('overview').then((state) => () => heard(state), (error) => () => complain(error.message, error.status));
	if (mine === turn) {
		timer = document.hidden ? null : setTimeout(poll, config.refresh);
		hear();
	}
}

document.addEventListener('visibilitychange', () => {
	drawStatus();
	if (document.hidden) {
		clearTimeout(timer);
	}
	else {
		poll();
	}
});

// --- keyboard shortcuts

let gone = 0;

const KEYS = [['g then o, q, j, w, s, d, a', 'Overview, queues, jobs, workers, schedules, dead, activity'], ['Ctrl+K', 'Go to a page, a queue or a job by its ID, or act'], ['/', 'Search'], ['j, k', 'Next row, row before'], ['Enter', 'Open the row'], ['x', 'Select the row'], ['c', 'Show rows closer together'], ['r', 'Refresh'], ['t', 'Switch between light and dark'], ['u', 'Switch between local time and UTC'], ['?', 'Show these shortcuts'], ['Esc', 'Close a dialog']];

document.addEventListener('keydown', (event) => {
	if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !document.querySelector('dialog[open]')) {
		event.preventDefault();
		palette({store, navigate, refresh, commands: [...NAV.map(([page, label]) => [label, () => navigate(`#/${page}`)]), ['Switch between light and dark', light],
			['Switch between local time and UTC', changeZone], ['Show rows closer together or further apart', pack], ['Keyboard shortcuts', help]]});
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector('dialog[open]')) {
		return;
	}
	const target = NAV.find(([, , key]) => key === event.key);
	if (target && Date.now() - gone < 1500) {
		gone = 0;
		navigate(`#/${target[0]}`);
		return;
	}
	gone = event.key === 'g' ? Date.now() : 0;
	const act = {'?': help, t: light, u: changeZone, r: refresh, c: pack, j: () => step(1), k: () => step(-1), x: select}[event.key];
	act && act();
	if (event.key === '/') {
		event.preventDefault();
		const search = main.querySelector('[data-search]');
		search ? search.focus() : navigate('#/jobs');
	}
});

function select() {
	const box = document.activeElement.closest('tr')?.querySelector('input[type=checkbox]');
	box?.click();
}

// Keys act on the row with the focus. Its link has the focus, so Enter opens it.
function step(by) {
	const rows = [...main.querySelectorAll('tbody tr')].filter((row) => row.querySelector('a'));
	const at = rows.indexOf(document.activeElement.closest('tr'));
	const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
	row?.querySelector('a').focus();
}

function pack() {
	const packed = document.documentElement.toggleAttribute('data-packed');
	remember('jobs-rows', packed ? 'packed' : '');
}

function help() {
	dialog('Keyboard shortcuts', (close) => [h('dl', {class: 'keys'}, KEYS.map(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
		h('div', {class: 'row end'}, button('Close', () => close()))]);
}

// --- time zone and theme

function drawZone() {
	clock.textContent = zone();
	clock.title = usesUtc() ? 'Times are in UTC. Show local times (u)' : 'Times are local. Show UTC (u)';
}

function changeZone() {
	useUtc(!usesUtc());
	remember('jobs-zone', usesUtc() ? 'utc' : 'local');
	drawZone();
	if (current && store.overview) {
		current.update();
	}
	if (current?.refresh) {
		current.refresh();
	}
}

function light() {
	const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
	theme(dark ? 'light' : 'dark');
	remember('jobs-theme', dark ? 'light' : 'dark');
}

function remember(name, value) {
	try {
		localStorage.setItem(name, value);
	}
	catch (error) {
		// Storage is not available; the choice ends with the page.
	}
}

function theme(name) {
	document.documentElement.dataset.theme = name;
}

try {
	const known = localStorage.getItem('jobs-theme');
	if (known === 'light' || known === 'dark') {
		theme(known);
	}
	useUtc(localStorage.getItem('jobs-zone') === 'utc');
	document.documentElement.toggleAttribute('data-packed', localStorage.getItem('jobs-rows') === 'packed');
}
catch (error) {
	// Storage is not available.
}

drawZone();
window.addEventListener('hashchange', route);
route();
if (!document.hidden) {
	poll();
}
