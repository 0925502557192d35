import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html } from '../../connector/index.ts'

export type { Html }
export { html }

// Pages of the platform: plain HTML, no script, nothing loaded. Both colour schemes.

const stylesheet = html`
:root{color-scheme:light dark;--ground:light-dark(#f5f6f4,#14171a);--card:light-dark(#fff,#1d2226);--ink:light-dark(#1a2126,#e8ecec);--soft:light-dark(#55616a,#a3afb5);--line:light-dark(#d5dad8,#38424a);--accent:light-dark(#0b6b5d,#4fc3ac);--on-accent:light-dark(#fff,#08211c);--alarm:light-dark(#a3281c,#ff9d8f)}
*{box-sizing:border-box}
body{margin:0;padding:2rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:26rem;margin:0 auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
main.wide{max-width:52rem}
.mark{margin:0 0 1rem;font-weight:700;color:var(--accent)}
h1,h2{margin:0 0 .75rem;line-height:1.25;font-size:1.35rem}
h2{margin-top:2rem;font-size:1.1rem}
p{margin:0 0 1rem}
.soft,dt,th{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem;margin:0}
dl+p{margin-top:1rem}
dd{margin:0}
table{width:100%;border-collapse:collapse}
th,td{padding:.35rem .75rem .35rem 0;text-align:left;vertical-align:top;font-weight:400;border-bottom:1px solid var(--line)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
label{display:block;margin:0 0 .25rem;font-weight:600}
input{width:100%;max-width:26rem;margin:0 0 1rem;padding:.6rem .7rem;display:block;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:8px}
a{color:var(--accent)}
button,.button{padding:.6rem 1.2rem;font:inherit;font-weight:600;cursor:pointer;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on-accent)}
.button{display:inline-block;text-decoration:none}
.end{margin-top:2rem}
.end button,button.quiet{background:transparent;color:var(--ink);border-color:var(--line)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[role=alert]{padding:.6rem .8rem;border:1px solid var(--alarm);border-radius:8px;color:var(--alarm)}
`

const headers = {
	'cache-control': 'no-store',
	'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', stylesheet.text, 'base64')}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
	// Not `no-referrer`, which would blank the Origin of our own forms.
	'referrer-policy': 'same-origin',
	'cross-origin-opener-policy': 'same-origin',
}

export function htmlPage(title: string, body: Html, wide = false): Html {
	return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Berth</title>
<style>${stylesheet}</style>
</head>
<body>
<main${wide && html` class="wide"`}>
<p class="mark">Berth</p>
${body}
</main>
</body>
</html>
`
}

export function alertOf(fault: string | undefined): Html | undefined {
	return fault ? html`<p role="alert">${fault}</p>` : undefined
}

export function sendPage(reply: FastifyReply, status: number, page: Html): FastifyReply {
	return reply.code(status).type('text/html; charset=utf-8').headers(headers).send(page.text)
}
