import type { DeviceRequest } from '../../connector/index.ts'
import { alertOf, type Html, html, htmlPage } from '../http/html.ts'

// Where a person signs in a program that cannot open a browser (RFC 8628). All it shows of the program is its own word.

export function codePage(email: string, fault?: string): Html {
	return htmlPage(
		'Sign in a program',
		html`<h1>Sign in a program</h1>
${alertOf(fault)}
<p>Signed in as <strong>${email}</strong>. Enter the code that the program shows.</p>
<form method="post" action="/device">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" placeholder="XXXX-XXXX" required>
<button>Continue</button>
</form>`,
	)
}

export function allowPage(
	email: string,
	{ clientName, userCode, address, askedAt, asks }: DeviceRequest,
): Html {
	return htmlPage(
		'Allow access',
		html`<h1>Allow ${clientName}?</h1>
<p>It asks to:</p>
<ul>${asks.map((one) => html`<li>${one}</li>`)}</ul>
<dl>
<dt>Code</dt><dd><strong>${userCode}</strong></dd>
<dt>From address</dt><dd>${address}</dd>
<dt>Asked at</dt><dd>${askedAt.toISOString().slice(11, 16)} UTC</dd>
<dt>As</dt><dd>${email}</dd>
</dl>
<p role="alert">Allow it only if you started this sign-in yourself, and your program shows this code. Somebody who sent you the code or a link with it would act as you.</p>
<form method="post" action="/device/decision">
<input type="hidden" name="user_code" value="${userCode}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="quiet">Deny</button>
</form>`,
	)
}

export function decidedPage(allowed: boolean): Html {
	const [title, text] = allowed
		? ['Allowed', 'The program is signed in. You can close this page and go back to it.']
		: ['Denied', 'The program is not signed in. You can close this page.']
	return htmlPage(
		title,
		html`<h1>${title}</h1>
<p>${text}</p>`,
	)
}
