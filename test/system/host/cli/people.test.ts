import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Approval } from '../../../../host/api/approvals.ts'
import type { MemoryFile } from '../../../../host/api/memory.ts'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { berth, temporary, terminal } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// The owner's part in a run, from the command line: what an agent remembers, and what it asks.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Done.' } })
	host = await sharedHost()
	account = await host.account()
	const program = `import { agent } from 'berth'
export default agent(async (inputs: any, ctx) => {
	const { content } = await ctx.memory.read('notes.md')
	return content + (await ctx.approve('Go on?')).note
})
`
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		files: { 'memory/notes.md': 'seed', 'agent.ts': program },
	})
	agent = await deploy(host, account, bundle, 'asker')
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const call = (...args: string[]) => berth(args, { env: { BERTH_URL: host.url, BERTH_TOKEN: account.token } })
async function json<T>(...args: string[]): Promise<T> {
	const result = await call(...args, '--json')
	if (result.code !== 0) throw new Error(`berth ${args.join(' ')}: ${result.stderr}`)
	return JSON.parse(result.stdout) as T
}

it('berth memory lists, shows, writes what was seen, and deletes', async () => {
	expect(await json('memory', 'asker')).toMatchObject({
		data: [{ path: 'notes.md', version: 1 }],
		next_cursor: null,
	})
	const shown = await call('memory', 'asker', 'get', 'notes.md')
	expect(shown.stdout).toBe('seed\n')
	const file = join(temporary(), 'new.md')
	writeFileSync(file, 'edited ')
	const put = ['memory', 'asker', 'put', 'notes.md', file, '--version-is', '1']
	expect(await json<MemoryFile>(...put)).toMatchObject({ version: 2 })
	const late = await call(...put)
	expect([late.code, late.stderr]).toEqual([
		1,
		expect.stringContaining('which --version-is does not name. (precondition_failed)'),
	])
	const none = await call('memory', 'asker', 'get', 'notes.md', '--version-is', '9')
	expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('berth memory NAME versions PATH')])
	expect(await json('memory', 'asker', 'put', 'other.md', file)).toMatchObject({ version: 3 })
	await json('memory', 'asker', 'delete', 'other.md')
	expect(await json('memory', 'asker', 'versions', 'other.md')).toMatchObject({
		data: [{ sha256: null }, { version: 3 }],
	})
	expect((await call('memory', 'asker', 'put', 'x')).code).toBe(2)
	const piped = await berth(['memory', 'asker', 'put', 'piped.md', '-'], {
		env: { BERTH_URL: host.url, BERTH_TOKEN: account.token },
		input: 'from a pipe\n',
	})
	expect([piped.code, (await call('memory', 'asker', 'get', 'piped.md')).stdout]).toEqual([
		0,
		'from a pipe\n',
	])
	writeFileSync(file, Buffer.from([0xe9]))
	const latin = await call('memory', 'asker', 'put', 'latin.md', file)
	expect([latin.code, latin.stderr]).toEqual([1, expect.stringContaining('is not UTF-8')])
	await json('memory', 'asker', 'delete', 'piped.md')
})

// Proves: cli.erasing-asks
it('berth memory clear asks, and erases nothing unless it is told to', async () => {
	const clear = ['memory', 'asker', 'clear']
	const kept = await call(...clear)
	expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining('--yes')])
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const { code, screen } = await terminal(clear, env, [['(y/n)', 'n\n']])
	expect([code, screen]).toEqual([0, expect.stringContaining('Erase the memory of asker')])
	expect(screen).toContain('Kept.')
	expect(await json('memory', 'asker')).toMatchObject({ data: [{ path: 'notes.md' }] })
	const held = await json<MemoryFile>('memory', 'asker', 'get', 'notes.md')
	expect(await json(...clear, '--yes')).toMatchObject({ deleted: expect.any(Number) })
	expect(await json('memory', 'asker')).toMatchObject({ data: [] })
	const file = join(temporary(), 'again.md')
	writeFileSync(file, held.content)
	await json('memory', 'asker', 'put', 'notes.md', file)
})

it('berth approvals shows what a run asks, and approve lets it go on', async () => {
	const { id } = (await run(host, agent, {}, { prefer: 'respond-async' })).body
	const read = async () =>
		(
			await host.call<{ status: string; output: string | null }>(`${agent.url}/runs/${id}`, {
				token: agent.run_key,
			})
		).body
	await until(async () => (await read()).status === 'waiting')
	const { data } = await json<{ data: Approval[] }>('approvals', id, '--deployment', 'asker')
	const [asked] = data
	expect(asked).toMatchObject({ question: 'Go on?', status: 'pending' })
	const foreign = ['approve', id, asked?.id ?? '', '--digest', 'sha256:0']
	expect(await call(...foreign)).toMatchObject({ code: 1, stderr: expect.stringContaining('(conflict)') })
	expect(await json('approve', id, asked?.id ?? '', '--note', 'on')).toMatchObject({ status: 'approved' })
	const done = await until(async () => {
		const found = await read()
		return found.output !== null && found
	})
	expect(done.output).toBe('edited on')
	expect(await json('replay', id)).toMatchObject({ same: true })
	expect((await call('deny', id, asked?.id ?? '')).code).toBe(1)
})
