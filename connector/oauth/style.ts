import { hash } from 'node:crypto'

/** The look of the pages that people see on the way from their app and back. System fonts, both colour schemes. */
export const stylesheet = `
:root {
	color-scheme: light dark;
	--ground: light-dark(#f5f6f4, #14171a);
	--card: light-dark(#fff, #1d2226);
	--ink: light-dark(#1a2126, #e8ecec);
	--soft: light-dark(#55616a, #a3afb5);
	--line: light-dark(#d5dad8, #38424a);
	--accent: light-dark(#0b6b5d, #4fc3ac);
	--on-accent: light-dark(#fff, #08211c);
	--alarm: light-dark(#a3281c, #ff9d8f);
}
* { box-sizing: border-box; }
body {
	margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
	background: var(--ground); color: var(--ink);
	font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { width: min(26rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 2rem; }
.mark { margin: 0 0 1.5rem; font-weight: 700; letter-spacing: .02em; color: var(--accent); }
h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
p strong, li { color: var(--ink); }
ul { margin: 0 0 1.25rem; padding: .75rem 1rem .75rem 2rem; border: 1px solid var(--line); border-radius: 8px; }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
input {
	width: 100%; margin: 0 0 1rem; padding: .6rem .7rem; font: inherit; color: inherit;
	background: var(--ground); border: 1px solid var(--soft); border-radius: 8px;
}
button {
	width: 100%; padding: .7rem; font: inherit; font-weight: 600; cursor: pointer; border-radius: 8px;
	border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
}
button + button { margin-top: .6rem; background: transparent; color: var(--ink); border-color: var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.alarm { padding: .6rem .8rem; border: 1px solid var(--alarm); border-radius: 8px; color: var(--alarm); }
.foot { margin: 1.25rem 0 0; font-size: .875rem; }
a { color: var(--accent); }
`

/** Changes with the stylesheet, so that browsers may keep it for good. */
export const stylesheetPath = `/oauth/${hash('sha256', stylesheet).slice(0, 12)}.css`
