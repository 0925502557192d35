/** The page a one-time sign-in link leads to: plain HTML, no script. */
export function linkPage({ link, fault }: { link?: string; fault?: string }): string {
	const notice = fault ? `<p role="alert">${escapeHtml(fault)}</p>` : ''
	const form = link
		? `<form method="post" action="/sign-in">
<input type="hidden" name="link" value="${escapeHtml(link)}">
<p><label>New password, to sign in by later (12 characters or more; may be left empty)<br>
<input type="password" name="password" autocomplete="new-password" maxlength="200"></label></p>
<p><button>Sign in</button></p>
</form>`
		: '<p>Ask an operator for another link, or sign in by your password.</p>'
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in · Berth</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem}input,button{font:inherit;padding:.4rem .6rem}input[type=password]{width:100%;box-sizing:border-box}[role=alert]{color:#a00}</style>
<h1>Berth</h1>
${notice}
${form}
</html>
`
}

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
