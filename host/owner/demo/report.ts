import { indent, shorten, showBody } from '../cli/wire.ts'

/** What the demo says, and what of it held. */
export interface Report {
	step(title: string): void
	/** Text as it is, secrets shortened. */
	text(text: string): void
	command(args: string[], stdout: string, stderr: string): void
	request(method: string, url: string, headers: Record<string, string>, body: string): void
	response(status: string, headers: Record<string, string>, body: string): void
	check(what: string, held: boolean): void
	failures(): string[]
	checks(): number
}

export function createReport(write: (text: string) => void): Report {
	const failures: string[] = []
	let steps = 0
	let checks = 0
	const say = (text: string) => write(`${text}\n`)
	const lines = (headers: Record<string, string>) =>
		Object.entries(headers).map(([name, value]) => `${name}: ${shorten(value)}`)
	return {
		step: (title) => say(`\n── ${++steps}. ${title} ${'─'.repeat(Math.max(0, 70 - title.length))}`),
		text: (text) => say(shorten(text)),
		command(args, stdout, stderr) {
			say(`$ berth ${args.join(' ')}`)
			if (stderr.trim()) say(indent(shorten(stderr.trimEnd()), '  '))
			// With --verbose the answer has been shown as it came.
			else if (stdout.trim()) say(indent(showBody(stdout.trim()), '  '))
		},
		request: (method, url, headers, body) =>
			say(indent([`${method} ${url}`, ...lines(headers), '', showBody(body)].join('\n'), '>')),
		response: (status, headers, body) =>
			say(indent([status, ...lines(headers), '', showBody(body)].join('\n'), '<')),
		check(what, held) {
			checks++
			if (!held) failures.push(what)
			say(`  ${held ? '✓' : '✗'} ${what}`)
		},
		failures: () => failures,
		checks: () => checks,
	}
}
