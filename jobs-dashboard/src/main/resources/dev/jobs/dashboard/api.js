// Talks to the server. All paths are relative to the page, so any prefix works.

export const config = JSON.parse(document.querySelector('meta[name="jobs-config"]').content);

const LOGGED_OUT = 'You are logged out. Reload the page.';

export class Refusal extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

const PATIENCE = 30000;

// Whether a request has failed since this was last false.
export const missed = {any: false};

// A request that has to wait for others is repeated a few times.
export async function read(path, params) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(params || {})) {
		if (value !== undefined && value !== null && value !== '') {
			query.set(name, value);
		}
	}
	const text = query.toString();
	for (let left = 3; ; left--) {
		const response = await send(`api/${path}${text ? '?' + text : ''}`, {headers: {Accept: 'application/json'}, signal: AbortSignal.timeout(PATIENCE)});
		const wait = response.status === 503 && left > 0 ? Number(response.headers.get('Retry-After')) : 0;
		if (!wait) {
			missed.any ||= response.status >= 500;
			return answer(response);
		}
		await new Promise((done) => setTimeout(done, wait * 1000));
	}
}

export async function act(name, wish) {
	const headers = {'Content-Type': 'application/json', 'X-Jobs-Csrf': config.token};
	if (config.csrf) {
		headers[config.csrf.header] = config.csrf.value;
	}
	return answer(await send(`api/${name}`, {method: 'POST', headers, body: JSON.stringify(wish)}));
}

async function send(path, options) {
	try {
		return await fetch(path, {credentials: 'same-origin', cache: 'no-store', redirect: 'manual', ...options});
	}
	catch (error) {
		missed.any = true;
		throw new Refusal(0, 'The application is not responding.');
	}
}

async function answer(response) {
	if (response.type === 'opaqueredirect') {
		throw new Refusal(401, LOGGED_OUT);
	}
	let body = null;
	try {
		body = await response.json();
	}
	catch (error) {
		body = null;
	}
	if (!response.ok || body === null) {
		const known = {401: LOGGED_OUT, 403: 'You are not allowed to do that, or the page has expired. Reload it.'};
		throw new Refusal(response.status, body?.error || known[response.status] || `The application returned status ${response.status}.`);
	}
	return body;
}
