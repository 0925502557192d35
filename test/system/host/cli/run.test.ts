import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running } from '../../../kit/agent.ts'
import { berth, launcher, type Result } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// `berth run` stays with its run: over a broken connection, a decision, a failure and Ctrl-C.

let host: TestHost
let account: TestAccount
let agent: Running

beforeAll(async () => {
	host = await sharedHost()
	account = await host.account()
	const program = `import { agent } from 'berth'
import { fail } from './lib/fail.ts'
export default agent(async ({ how }: any, ctx) => {
	if (how === 'fail') fail()
	return String((await ctx.approve('Go\\non?', { n: 1 })).approved)
})
`
	const files = {
		'agent.ts': program,
		'lib/fail.ts': "export function fail(): never {\n\tthrow new Error('deep trouble')\n}\n",
	}
	agent = await deploy(host, account, await bundleOf({ files }), 'asker')
})
afterAll(() => host?.close())

const env = (url = host.url) => ({ BERTH_URL: url, BERTH_TOKEN: account.token })

/** `berth run` in a pipe; `onNote` is called with what is on stderr, as it grows. */
async function running(
	args: string[],
	onNote: (stderr: string, stop: () => void) => void,
	url?: string,
): Promise<Result> {
	const child = spawn(process.execPath, [launcher, 'run', 'asker', ...args], {
		env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env(url) },
	})
	const out = { stdout: '', stderr: '' }
	child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text))
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		out.stderr += text
		onNote(out.stderr, () => child.kill('SIGINT'))
	})
	const [code] = (await once(child, 'close')) as [number]
	return { code, ...out }
}

const asked =
	/^(run_\w+) waits for an approval: Go on\? Look: berth approvals (run_\w+)\. Agree: berth (approve \1 \w+)$/m
const firstAsked = (act: (match: RegExpExecArray) => void) => {
	let done = false
	return (stderr: string) => {
		const match = asked.exec(stderr)
		if (!match || done) return
		done = true
		act(match)
	}
}

/** The shared host behind a proxy that can break every connection, at whose address its deployments seem to be. */
async function breakable() {
	const calls: string[] = []
	const proxy = createServer(async (request, response) => {
		const call = `${request.method} ${request.url?.replace(/[^/]*$/, (last) => last.replace(/\?.*/, ''))}`
		calls.push(call)
		const { authorization = '', accept = '', ...sent } = request.headers
		const key = sent['idempotency-key'] as string | undefined
		const answer = await fetch(host.url + request.url, {
			method: request.method,
			headers: {
				...{ authorization, accept, 'content-type': 'application/json' },
				...(key && { 'idempotency-key': key }),
				...(sent.prefer && { prefer: sent.prefer as string }),
			},
			body: request.method === 'POST' ? await readText(request) : null,
		})
		// The first run is accepted, and its answer does not arrive.
		if (calls.filter((one) => one === call).length === 1 && call.endsWith('/run'))
			return void request.socket.destroy()
		response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
		const stream = accept === 'text/event-stream'
		if (!stream) return void response.end((await answer.text()).replaceAll(host.url, address()))
		for await (const part of answer.body ?? []) response.write(part)
		response.end()
	})
	const address = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => {
		proxy.closeAllConnections()
		proxy.close()
	})
	return { url: address(), calls, break: () => proxy.closeAllConnections() }
}

const runs = async () => {
	const { body } = await host.call<{ data: Run[] }>(`${agent.url}/runs`, { token: account.token })
	return body.data
}

// Proves: cli.run-kept, cli.run-waits
it('one run begins and is answered, though its answer is lost and its stream breaks', async () => {
	const before = (await runs()).length
	const proxy = await breakable()
	const decided: Promise<Result>[] = []
	const decide = firstAsked(([, , , command = '']) => {
		proxy.break()
		decided.push(berth(command.split(' '), { env: env() }))
	})
	const done = await running([], decide, proxy.url)
	expect(done).toMatchObject({ code: 0, stdout: 'true\n', stderr: expect.stringMatching(asked) })
	expect((await decided[0])?.code).toBe(0)
	expect(await runs()).toHaveLength(before + 1)
	expect(proxy.calls.filter((call) => call.endsWith('/run'))).toHaveLength(2)
	expect(proxy.calls.filter((call) => call.endsWith('/events')).length).toBeGreaterThan(1)
})

// Proves: cli.run-interrupted
it.each([[[]], [['--stream']]])(
	'Ctrl-C in berth run %j says which run goes on, and it does',
	async (args) => {
		let id = ''
		const stopped = await running(args, (stderr, stop) => {
			const [, run = ''] = (!id && asked.exec(stderr)) || []
			if (!run) return
			id = run
			stop()
		})
		expect(stopped.code).toBe(130)
		expect(stopped.stderr).toContain(
			`berth: stopped; ${id} goes on. Stop it: berth cancel ${id}. Look: berth events ${id}\n`,
		)
		const cancelled = await berth(['cancel', id], { env: env() })
		expect(cancelled.stdout).toBe(`${id} is cancelled\n`)
	},
)

// Proves: cli.run-failed
it('a failed run is told with code, message, the place in the program and where to look', async () => {
	const failed = await berth(['run', 'asker', '--input', 'how=fail'], { env: env() })
	const [, id] = /^berth: (run_\w+) failed/.exec(failed.stderr) ?? []
	expect(failed).toEqual({
		code: 1,
		stdout: '',
		stderr: `berth: ${id} failed: deep trouble (agent_error)\n  at lib/fail.ts:2:8\n  see: berth events ${id}\n`,
	})
})
