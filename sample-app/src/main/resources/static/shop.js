'use strict';

const base = new URL('.', location.href).href;
const ids = { export: '<id>', reminder: '<id>', import: '<id>' };

const groups = [
	{ title: 'Orders and mails', steps: [
		{ text: 'Place an order. A mail and a picture become jobs; some pictures fail and are retried.',
			method: 'POST', path: 'orders', body: { customer: 'ada@example.org', article: 'teapot' } },
		{ text: 'See the mails that were sent.', method: 'GET', path: 'mails' },
		{ text: 'Buy something. The order is charged, reserved and handed over in steps. The carrier does not answer at first; the '
			+ 'second attempt charges nobody again. Then the job waits until the parcel has arrived, without a thread. Its page '
			+ 'lists the steps and what it waits for.',
			method: 'POST', path: 'purchases', id: 'purchase', body: { customer: 'ada@example.org', article: 'globe' } },
		{ text: 'Say that the parcel has arrived: a signal. The job goes on, sleeps for a minute and asks for a review. A second '
			+ 'click answers ALREADY.',
			method: 'POST', path: () => `deliveries/${ids.purchase}`, body: { where: 'at the door' } },
		{ text: 'Send a reminder in ten minutes: a scheduled job.',
			method: 'POST', path: 'reminders', id: 'reminder', body: { to: 'ada@example.org', order: 1, text: 'Your order waits.' } },
		{ text: 'Send it now instead: its due time is moved.',
			method: 'PUT', path: () => `reminders/${ids.reminder}?at=${new Date().toISOString()}` },
		{ text: 'Put something into a basket. A mail reminds of it in an hour; what comes later replaces its text and time, '
			+ 'so a second click answers RESCHEDULED.',
			method: 'PUT', path: 'baskets/ada@example.org', body: ['kettle', 'lamp'] },
		{ text: 'Send a code to log in with. It is urgent, so it goes before all other mails, and expires in ten minutes.',
			method: 'POST', path: 'codes/ada@example.org' },
		{ text: 'Offer a new article: one call enqueues a mail to each customer, of low urgency. While the queue of pictures '
			+ 'is full, it waits up to 10 seconds for room.',
			method: 'POST', path: 'articles/clock' },
		{ text: 'Send a parcel. Its order is not paid, so the handler puts it off by a minute; that uses no attempt.',
			method: 'POST', path: 'parcels', body: { order: 1, address: '1 Main Street' } },
		{ text: 'Pay the order. The parcel is sent at its next run and kept in the history.',
			method: 'POST', path: 'payments/1' },
		{ text: 'Sell something with an invoice, on PostgreSQL only: the sale and its job are stored in one transaction, '
			+ 'and so are the invoice and the end of its job.',
			method: 'POST', path: 'invoices', body: { customer: 'ada@example.org', cents: 1250 } }
	] },
	{ title: 'Services that fail', steps: [
		{ text: 'Ask what a parcel costs. The answer is what a job returns, which asks the carrier, in vain the first time, '
			+ 'while you wait.',
			method: 'GET', path: 'quotes/lamp?country=France' },
		{ text: 'Send a text message. The gateway is busy at first; a bean says how long to wait after each failure. It '
			+ 'refuses each third call with 429, so the handler holds back all text messages for 20 seconds.',
			method: 'POST', path: 'notices', body: { contact: { '@type': 'phone', number: '+1 555 0100' }, text: 'It is on its way.' } },
		{ text: 'Send a letter. Letters are in a lane of their own, so they are never held back.',
			method: 'POST', path: 'notices', body: { contact: { '@type': 'letter', address: '1 Main Street' }, text: 'It is on its way.' } },
		{ text: 'Send a text message to no number. The gateway refuses it, and a customizer makes that final for every handler.',
			method: 'POST', path: 'notices', body: { contact: { '@type': 'phone', number: 'none' }, text: 'It is on its way.' } },
		{ text: 'Refund something. The bank does not answer at first, so the handler asks for a retry in 5 seconds. '
			+ 'The refunds of a customer are an ordered lane: a second one waits until the first is paid.',
			method: 'POST', path: 'refunds', body: { customer: 'ada@example.org', cents: 1250 } },
		{ text: 'Refund nothing: the handler discards the job, and it is dead.',
			method: 'POST', path: 'refunds', body: { customer: 'ada@example.org', cents: 0 } },
		{ text: 'See what the listener of dead jobs has heard.', method: 'GET', path: 'alarms' }
	] },
	{ title: 'Exports and stock', steps: [
		{ text: 'Export the orders of a year. It takes 20 seconds and is unique: a second click answers DUPLICATE.',
			method: 'POST', path: 'exports/2026', id: 'export' },
		{ text: 'Watch its progress.', method: 'GET', path: () => 'exports/' + ids.export },
		{ text: 'Ask where its file is: 202 while it is written, and for an hour after that the name that the job has returned.',
			method: 'GET', path: () => `exports/${ids.export}/file` },
		{ text: 'Cancel it.', method: 'DELETE', path: () => 'exports/' + ids.export },
		{ text: 'Import the articles of a supplier, which takes a minute. On PostgreSQL or Redis, stop the application meanwhile and '
			+ 'start it again: the import continues where it was.',
			method: 'POST', path: 'imports/acme', id: 'import' },
		{ text: 'Watch its progress.', method: 'GET', path: () => 'exports/' + ids.import },
		{ text: 'Count an article. To show a count takes two seconds, and only the latest one waits meanwhile, so the third of '
			+ 'three quick clicks answers REPLACED. As few are left, the buyer gets one mail an hour.',
			method: 'PUT', path: 'stock/lamp', body: 3 }
	] },
	{ title: 'Partners', steps: [
		{ text: 'Send the price list of a partner. Each partner is a lane, in which three lists start in 10 seconds and three '
			+ 'more may wait, so the last of seven quick clicks answers 429 with Retry-After.',
			method: 'POST', path: 'partners/globex/prices', body: { lamp: 1999, chair: 4500 } },
		{ text: 'Send one of another partner, which need not wait for the first. This one has paid for three turns.',
			method: 'POST', path: 'partners/acme/prices', body: { lamp: 2099 } },
		{ text: 'Subscribe a partner to a mail about sales every 20 seconds: a schedule that is put at run time. A second click '
			+ 'answers UNCHANGED.',
			method: 'PUT', path: 'partners/globex/report?cron=*/20+*+*+*+*+*&zone=Europe/Paris' },
		{ text: 'Unsubscribe: the schedule is dropped.', method: 'DELETE', path: 'partners/globex/report' }
	] },
	{ title: 'For those who run the shop', steps: [
		{ text: 'See the queues.', method: 'GET', path: 'queues' },
		{ text: 'Pause the queue of pictures. At 100 waiting ones the shop answers 503 with Retry-After.',
			method: 'POST', path: 'queues/resize-image/pause' },
		{ text: 'Ask for a picture.', method: 'POST', path: 'images', body: { article: 'lamp', width: 320 } },
		{ text: 'Resume it.', method: 'POST', path: 'queues/resize-image/resume' },
		{ text: 'Let one picture be made at a time, in all processes together.',
			method: 'PUT', path: 'queues/resize-image/limit', body: 1 },
		{ text: 'Go by the configuration again.', method: 'DELETE', path: 'queues/resize-image/limit' },
		{ text: 'Run a schedule now, beside its ticks.', method: 'POST', path: 'schedules/calculate-caches/run' },
		{ text: 'Put off all mails that wait by an hour, however many: a bulk action, whose progress the dashboard shows.',
			method: 'POST', path: () => `queues/send-email/postpone?until=${new Date(Date.now() + 3600000).toISOString()}` },
		{ text: 'Move the price lists that wait in a lane to another lane, as when one partner has bought the other.',
			method: 'POST', path: 'queues/import-prices/lanes/globex/move?to=acme' },
		{ text: 'Retry all refunds that are dead.', method: 'POST', path: 'queues/refund/retry' }
	] }
];

const element = (name, text, className) => {
	const created = document.createElement(name);
	created.textContent = text ?? '';
	created.className = className ?? '';
	return created;
};

const pathOf = (step) => typeof step.path === 'function' ? step.path() : step.path;

const line = (step) => 'curl' + (step.method === 'GET' ? '' : ' -X ' + step.method)
	+ (step.body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(step.body)}'` : '')
	+ ` '${base}${pathOf(step)}'`;

const send = async (step) => {
	const response = await fetch(pathOf(step), {
		method: step.method,
		headers: step.body ? { 'Content-Type': 'application/json' } : {},
		body: step.body && JSON.stringify(step.body)
	});
	const text = await response.text();
	let body = text;
	try {
		const json = JSON.parse(text);
		body = JSON.stringify(json, null, 1);
		if (step.id && json.id) {
			ids[step.id] = json.id;
		}
	}
	catch {
		// Not everything is JSON.
	}
	return { ok: response.ok, text: response.status + (body ? '\n' + body : '') };
};

const lines = [];
const showLines = () => lines.forEach(({ code, step }) => code.textContent = line(step));

for (const { title, steps } of groups) {
	const list = element('ol');
	for (const step of steps) {
		const item = element('li');
		const button = element('button', 'Send');
		const code = element('pre');
		const answer = element('pre', '', 'answer');
		answer.setAttribute('role', 'status');
		answer.hidden = true;
		button.setAttribute('aria-label', 'Send: ' + step.text);
		button.addEventListener('click', async () => {
			button.disabled = true;
			const result = await send(step).catch((error) => ({ ok: false, text: String(error) }));
			answer.textContent = result.text;
			answer.classList.toggle('failed', !result.ok);
			answer.hidden = false;
			button.disabled = false;
			showLines();
		});
		lines.push({ code, step });
		item.append(element('p', step.text), button, code, answer);
		list.append(item);
	}
	const heading = element('h3', title);
	heading.id = title.toLowerCase().replaceAll(' ', '-');
	const link = element('a', title);
	link.href = '#' + heading.id;
	document.getElementById('groups').append(link);
	document.getElementById('steps').append(heading, list);
}
showLines();

fetch('actuator/jobs').then((response) => response.json()).then((overview) => {
	const places = { memory: 'in memory', redis: 'in Redis', jdbc: 'in a database' };
	document.getElementById('store').textContent = `The jobs are kept ${places[overview.store.kind] ?? overview.store.kind}.`;
}).catch(() => {});
