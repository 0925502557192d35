import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { launcher } from '../../../kit/berth.ts'

/** `berth connect`, and what a browser does with the address it shows. */
export async function connectBy(
	env: Record<string, string>,
	name: string,
	browse: (address: string) => Promise<unknown>,
	args: string[] = [],
) {
	const child = spawn(process.execPath, [launcher, 'connect', name, '--no-browser', '--json', ...args], {
		env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	onTestFinished(() => void child.kill())
	const out = { stdout: '', stderr: '' }
	let browsing: Promise<unknown> | undefined
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		out.stdout += text
	})
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		out.stderr += text
		const [address] = /http\S+\/authorize\?\S+/.exec(out.stderr) ?? []
		if (address) browsing ??= browse(address)
	})
	const [code] = await once(child, 'close')
	await browsing
	return { code: code as number, ...out }
}
