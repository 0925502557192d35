import { accountScope } from './scopes.ts'
import { stylesheetPath } from './style.ts'

// Plain pages that work without script. Everything shown of a client is the client's own word: escaped, and named so.

export interface LoginPage {
	uid: string
	csrf: string
	clientName: string
	email?: string
	alarm?: string
}

export function loginPage({ uid, csrf, clientName, email = '', alarm }: LoginPage): string {
	return page(
		'Sign in',
		`<h1>Sign in</h1>
<p>to connect <strong>${escaped(clientName)}</strong> with your Platform account</p>
${alarm ? `<p class="alarm" role="alert">${escaped(alarm)}</p>` : ''}
<form method="post" action="/interaction/${escaped(uid)}/login">
<input type="hidden" name="csrf" value="${escaped(csrf)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${email ? '' : ' autofocus'}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email ? ' autofocus' : ''}>
<button>Sign in</button>
</form>
<p class="foot">No password? Open your one-time sign-in link in this browser, then load this page again.</p>`,
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
	/** Its guard calls are charged. */
	metered: boolean
}

const meaning: Record<string, string> = {
	'guard:verify': 'Check claims against evidence',
	'guard:screen': 'Screen texts before an agent reads them',
	'guard:find': 'Rank texts by meaning',
	[accountScope]: 'Manage your deployments, runs and account as you',
}

export function consentPage({
	uid,
	csrf,
	clientName,
	redirect,
	scopes,
	email,
	metered,
}: ConsentPage): string {
	return page(
		'Allow access',
		`<h1>Allow ${escaped(clientName)}?</h1>
<p>Signed in as <strong>${escaped(email)}</strong>. It asks to:</p>
<ul>${scopes.map((scope) => `<li>${escaped(meaning[scope] ?? scope)}</li>`).join('')}</ul>
<p>${where(redirect)}${metered ? ' Its calls are paid from your Platform credits.' : ''}</p>
<form method="post" action="/interaction/${escaped(uid)}/consent">
<input type="hidden" name="csrf" value="${escaped(csrf)}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button>
</form>
<p class="foot"><a href="/interaction/${escaped(uid)}?switch">Use another account</a></p>`,
		scopes.includes(accountScope) ? 'Berth' : 'Guard',
	)
}

function where({ protocol, host, hostname }: URL): string {
	if (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
		return 'The answer goes to a program on <strong>this computer</strong>.'
	if (protocol === 'https:' || protocol === 'http:')
		return `The answer goes to <strong>${escaped(host)}</strong>.`
	return `The answer goes to the app that opens <strong>${escaped(protocol)}//</strong> links.`
}

export function errorPage(message: string): string {
	return page(
		'Not possible',
		`<h1>This did not work</h1>
<p class="alarm" role="alert">${escaped(message)}</p>
<p>Go back to your app and start the sign-in again.</p>`,
	)
}

/** `mark`: what the access is to. */
function page(title: string, body: string, mark = 'Guard'): string {
	return `<!doctype html>
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
`
}

export function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
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
