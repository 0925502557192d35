import { type Html, html } from './html.ts'
import { accountScope, scopeMeaning } from './scopes.ts'
import { stylesheetPath } from './style.ts'

// Plain pages that work without script. Everything shown of a client is the client's own word: escaped, and named so.

export interface LoginPage {
	uid: string
	csrf: string
	clientName: string
	email?: string
	alarm?: string
	/** The guard is not what the access is to. */
	elsewhere: boolean
	/** Another way to sign in. */
	other?: { name: string; href: string } | undefined
}

export function loginPage({ uid, csrf, clientName, email = '', alarm, elsewhere, other }: LoginPage): string {
	return page(
		'Sign in',
		html`<h1>Sign in</h1>
<p>to connect <strong>${clientName}</strong> with your Platform account</p>
${alarm && html`<p class="alarm" role="alert">${alarm}</p>`}
${other && html`<p><a href="${other.href}">Sign in with ${other.name}</a>, or by password:</p>`}
<form method="post" action="/interaction/${uid}/login">
<input type="hidden" name="csrf" value="${csrf}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}"${!email && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email && html` autofocus`}>
<button>Sign in</button>
</form>
<p class="foot">No password? Open your one-time sign-in link in this browser, then load this page again.</p>`,
		elsewhere ? 'Berth' : 'Guard',
	)
}

export interface ConsentPage {
	uid: string
	csrf: string
	clientName: string
	/** Where the answer is sent. */
	redirect: URL
	scopes: string[]
	email: string
	/** Name of the agent that the access is to. */
	agent?: string | undefined
	/** Its guard calls are charged. */
	metered: boolean
}

export function consentPage({
	uid,
	csrf,
	clientName,
	redirect,
	scopes,
	email,
	agent,
	metered,
}: ConsentPage): string {
	return page(
		'Allow access',
		html`<h1>Allow ${clientName}${agent !== undefined && html` to run ${agent}`}?</h1>
<p>Signed in as <strong>${email}</strong>. It asks to:</p>
<ul>${scopes.map((scope) => html`<li>${scopeMeaning[scope] ?? scope}</li>`)}</ul>
<p>${where(redirect)}${metered && ' Its calls are paid from your Platform credits.'}</p>
<form method="post" action="/interaction/${uid}/consent">
<input type="hidden" name="csrf" value="${csrf}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>
<p class="foot"><a href="/interaction/${uid}?switch">Use another account</a></p>`,
		agent ?? (scopes.includes(accountScope) ? 'Berth' : 'Guard'),
	)
}

function where({ protocol, host, hostname }: URL): Html {
	if (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
		return html`The answer goes to a program on <strong>this computer</strong>.`
	if (protocol === 'https:' || protocol === 'http:') return html`The answer goes to <strong>${host}</strong>.`
	return html`The answer goes to the app that opens <strong>${protocol}//</strong> links.`
}

/** `switchTo`: where another account is chosen. */
export function errorPage(message: string, switchTo?: string, mark?: string): string {
	return page(
		'Not possible',
		html`<h1>This did not work</h1>
<p class="alarm" role="alert">${message}</p>
<p>Go back to your app and start the sign-in again.</p>
${switchTo !== undefined && html`<p class="foot"><a href="${switchTo}">Use another account</a></p>`}`,
		mark,
	)
}

/** `mark`: what the access is to. */
function page(title: string, body: Html, mark = 'Guard'): string {
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${mark}</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<main>
<p class="mark">${mark}</p>
${body}
</main>
</body>
</html>
`.text
}

/**
 * Browsers hold `form-action` against every redirect that follows a form, so the policy names where the client is
 * answered. IPv6 hosts cannot be written in a policy; their scheme is named instead.
 */
export function pageHeaders(redirect?: URL): Record<string, string> {
	const web = redirect && /^https?:$/.test(redirect.protocol) && !redirect.hostname.startsWith('[')
	const target = redirect ? ` ${web ? redirect.origin : redirect.protocol}` : ''
	return {
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'content-security-policy': `default-src 'none'; style-src 'self'; form-action 'self'${target}; frame-ancestors 'none'; base-uri 'none'`,
		// Not `no-referrer`, which would blank the Origin of our own forms.
		'referrer-policy': 'same-origin',
		'x-content-type-options': 'nosniff',
		'x-frame-options': 'DENY',
		'cross-origin-opener-policy': 'same-origin',
	}
}
