import { alertOf, type Html, html, htmlPage } from '../http/html.ts'

/** The page a one-time sign-in link leads to. */
export function linkPage({ link, fault }: { link?: string; fault?: string }): Html {
	const form = link
		? html`<form method="post" action="/sign-in">
<input type="hidden" name="link" value="${link}">
<label for="password">New password</label>
<p class="soft">To sign in by later: 12 characters or more. May be left empty. A new password ends your other browser sessions.</p>
<input id="password" type="password" name="password" autocomplete="new-password" maxlength="200">
<button>Sign in</button>
</form>`
		: html`<p>Ask an operator for another link, or <a href="/sign-in">sign in by your password</a>.</p>`
	return htmlPage(
		'Sign in',
		html`<h1>Sign in</h1>
${alertOf(fault)}
${form}`,
	)
}

export interface PasswordPage {
	email?: string
	fault?: string
	/** Where the visitor goes afterwards: a path of this site. */
	to?: string
	/** Name of the operator's OpenID provider; unset: there is none. */
	openId?: string | undefined
}

export function passwordPage({ email = '', fault, to = '/', openId }: PasswordPage = {}): Html {
	return htmlPage(
		'Sign in',
		html`<h1>Sign in</h1>
${alertOf(fault)}
${openId && openIdPart(openId, to)}
<form method="post" action="/sign-in/password">
${to !== '/' && html`<input type="hidden" name="to" value="${to}">`}
<label for="email">E-mail</label>
<input id="email" type="email" name="email" autocomplete="username" maxlength="254" required value="${email}">
<label for="password">Password</label>
<input id="password" type="password" name="password" autocomplete="current-password" maxlength="200" required>
<button>Sign in</button>
</form>
<p class="soft end">No password yet? Open your one-time sign-in link.</p>`,
	)
}

/** A link, not a form: a policy holds `form-action` against the redirect to the provider. */
const openIdPart = (name: string, to: string) =>
	html`<p><a class="button" href="/sign-in/openid${to !== '/' && `?to=${encodeURIComponent(to)}`}">Sign in with ${name}</a></p>
<p class="soft">or by password</p>`

/** What stopped a sign-in with the OpenID provider. */
export function refusedPage(fault: string, to = '/'): Html {
	return htmlPage(
		'Sign in',
		html`<h1>Not signed in</h1>
${alertOf(fault)}
<p><a href="/sign-in${to !== '/' && `?to=${encodeURIComponent(to)}`}">Back to the sign-in</a></p>`,
	)
}
