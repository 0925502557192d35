import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export const launcher = resolve('host/owner/cli/bin/berth.mjs')

export interface Result {
	code: number
	stdout: string
	stderr: string
}

const shell = () => ({
	PATH: process.env.PATH,
	HOME: '/nonexistent',
	NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
})

/** Runs the shipped command line as a shell in a pipe would. */
export async function berth(
	args: string[],
	options: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<Result> {
	const child = spawn(process.execPath, [launcher, ...args], {
		cwd: options.cwd,
		env: { ...shell(), ...options.env },
	})
	child.stdin.end(options.input ?? '')
	const out = { stdout: '', stderr: '' }
	for (const name of ['stdout', 'stderr'] as const) {
		child[name].setEncoding('utf8').on('data', (text: string) => {
			out[name] += text
		})
	}
	const [code] = (await once(child, 'close')) as [number]
	return { code, ...out }
}

export { temporary } from './repository.ts'

/** On a pseudo-terminal: types each answer once its question has come. */
export async function terminal(
	args: string[],
	env: Record<string, string>,
	answers: [question: string, answer: string][],
): Promise<{ code: number; screen: string }> {
	const line = `exec ${[process.execPath, launcher, ...args].map((part) => `'${part}'`).join(' ')}`
	const child = spawn('script', ['--quiet', '--return', '--echo', 'never', '--command', line, '/dev/null'], {
		env: { ...shell(), TERM: 'dumb', ...env },
	})
	let screen = ''
	let read = 0
	const left = [...answers]
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		screen += text
		const [question = '', answer = ''] = left[0] ?? []
		const at = left.length === 0 ? -1 : screen.indexOf(question, read)
		if (at === -1) return
		read = at + question.length
		left.shift()
		child.stdin.write(answer)
	})
	const [code] = (await once(child, 'close')) as [number]
	return { code, screen }
}
