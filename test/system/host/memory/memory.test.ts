import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MemoryFile, MemoryList, MemoryVersions } from '../../../../host/api/memory.ts'
import { bundleOf, create, deploy, type Running, run, until, upload, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost, startBeside } from '../../../kit/shared-host.ts'

// Memory: seeded by the bundle, kept between runs, nothing lost where two write at once, the owner's to edit.

let models: ModelServer
let one: TestHost
let two: TestHost
let account: TestAccount

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Done.' },
		slow: { text: 'Done.', delayMs: 1000 },
		// The standard loop with the tool: each run adds the line it was given.
		adder: ({ turn, body }) => {
			if (turn > 0) return { text: 'Added.' }
			const [line = ''] = /line-\d+/.exec(JSON.stringify(body.input ?? body.messages)) ?? []
			const input = { command: 'insert', path: '/memories/list.md', insert_line: 0, insert_text: line }
			return { calls: [{ name: 'memory', input }] }
		},
	})
	one = await sharedHost()
	two = await startBeside(one)
	account = await one.account({ plan: 'team' })
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	await models?.close()
})

const seed = { 'memory/list.md': 'first', 'memory/notes/a b.md': 'deep' }
const made = async (model: string, files: Record<string, string> = seed, yaml = '') =>
	deploy(
		one,
		account,
		await bundleOf({
			model: `{ provider: openai, name: ${model}, base_url: "${models.openaiUrl}" }`,
			files,
			yaml,
		}),
	)
const program = (code: string) => ({
	...seed,
	'agent.ts': `import { agent } from 'berth'\nexport default agent(async (inputs: any, ctx) => { ${code} })\n`,
})
const at = (agent: Running, host: TestHost): Running => ({
	...agent,
	url: agent.url.replace(one.url, host.url),
})
const file = (agent: Running, path: string, call: Parameters<TestHost['call']>[1] = {}) =>
	one.call<MemoryFile & { code: string }>(`${agent.url}/memory/${path}`, { token: account.token, ...call })
const put = (agent: Running, path: string, content: string, headers: Record<string, string> = {}) =>
	file(agent, path, { method: 'PUT', json: { content }, headers })

describe('the owner', () => {
	// Proves: memory.seeded, memory.owner-edits, memory.versions, memory.cleared
	test('reads what the bundle brought, and edits it only as he saw it', async () => {
		const agent = await made('m')
		const list = await one.call<MemoryList>(`${agent.url}/memory`, { token: account.token })
		expect(list.body.data).toMatchObject([
			{ path: 'list.md', version: 1, size: 5 },
			{ path: 'notes/a b.md', version: 2, size: 4 },
		])
		const read = await file(agent, 'notes/a%20b.md')
		expect(read.body).toMatchObject({ content: 'deep', version: 2, updated_by: account.id })
		const etag = read.headers.get('etag') ?? ''
		const edited = await put(agent, 'notes/a%20b.md', 'deeper', { 'if-match': etag })
		expect([edited.status, edited.body.version, edited.headers.get('etag')]).toEqual([200, 3, '"3"'])
		const late = await put(agent, 'notes/a%20b.md', 'lost', { 'if-match': etag })
		expect([late.status, late.body.code]).toEqual([412, 'precondition_failed'])
		expect((await put(agent, 'list.md', 'x', { 'if-none-match': '*' })).status).toBe(412)
		expect((await put(agent, 'new.md', 'x', { 'if-none-match': '*' })).status).toBe(201)
		expect((await file(agent, 'notes/a%20b.md?version=2')).body.content).toBe('deep')
		const gone = await file(agent, 'new.md', { method: 'DELETE', headers: { 'if-match': '"4"' } })
		expect([gone.status, (await file(agent, 'new.md')).status]).toEqual([204, 404])
		const versions = await one.call<MemoryVersions>(`${agent.url}/memory-versions/new.md`, {
			token: account.token,
		})
		expect(versions.body.data.map(({ version, sha256 }) => [version, sha256 === null])).toEqual([
			[5, true],
			[4, false],
		])
		const erased = await one.call(`${agent.url}/memory`, { method: 'DELETE', token: account.token })
		expect(erased.body).toEqual({ deleted: 2 })
		const nothing = await file(agent, 'list.md?version=1')
		expect([nothing.status, nothing.text]).toEqual([404, expect.stringContaining('has no version 1')])
		expect((await put(agent, 'list.md', 'again')).body.version).toBe(6)
	})

	// Proves: memory.conditions
	test('names the versions that are known in a list', async () => {
		const agent = await made('m')
		const read = async (headers: Record<string, string>) => (await file(agent, 'list.md', { headers })).status
		const known = ['"1"', 'W/"1"', '"9", "1"', '*']
		expect(await Promise.all(known.map((one) => read({ 'if-none-match': one })))).toEqual([
			304, 304, 304, 304,
		])
		expect(await read({ 'if-none-match': '"9"' })).toBe(200)
		const again = await file(agent, 'list.md', { headers: { 'if-none-match': '"1"' } })
		expect([again.text, again.headers.get('etag')]).toEqual(['', '"1"'])
		for (const match of ['"9"', 'W/"1"', '1'])
			expect((await put(agent, 'list.md', 'x', { 'if-match': match })).status).toBe(412)
		expect((await put(agent, 'none.md', 'x', { 'if-match': '"1"' })).status).toBe(412)
		expect((await put(agent, 'list.md', 'x', { 'if-match': '"9", "1"' })).status).toBe(200)
	})

	// Proves: memory.owner-only
	test('is the only one who reaches it', async () => {
		const agent = await made('m')
		const other = await one.account()
		const status = async (token: string) => (await file(agent, 'list.md', { token })).status
		expect([await status(agent.run_key), await status(other.token)]).toEqual([403, 404])
		expect((await file(agent, 'list.md', { token: undefined })).status).toBe(401)
		expect((await put(agent, 'list.md', 'x', { authorization: `Bearer ${agent.run_key}` })).status).toBe(403)
	})

	// Proves: memory.bounds
	test('is told what memory cannot hold', async () => {
		const agent = await made('m')
		for (const path of ['a//b', 'list.md/below', 'notes', 'a%5Cb']) {
			const answer = await put(agent, path, 'x')
			expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_request'])
		}
		expect((await put(agent, 'big', 'x'.repeat(1024 * 1024 + 1))).status).toBe(400)
		for (let i = 0; i < 9; i++)
			expect((await put(agent, `big${i}`, 'x'.repeat(1024 * 1024))).status).toBe(201)
		expect((await put(agent, 'last', 'x'.repeat(1024 * 1024))).status).toBe(400)
		const bundle = await bundleOf({ files: { 'memory/big': 'x'.repeat(1024 * 1024 + 1) } })
		const refused = await create(one, account, bundle, 'too-much')
		expect([refused.status, (refused.body as unknown as { code: string }).code]).toEqual([
			422,
			'bundle_invalid',
		])
	})
})

describe('a run', () => {
	// Proves: memory.kept-between-runs
	test('finds what an earlier one wrote, on either host and on a newer version', async () => {
		const code = `
			const { content, version } = await ctx.memory.read('list.md')
			await ctx.memory.write('list.md', content + '+')
			const paths = (await ctx.memory.list('notes')).map(({ path }) => path)
			return JSON.stringify([content, version, paths])`
		const agent = await made('m', program(code))
		const first = await run(one, agent)
		expect(JSON.parse(String(first.body.output))).toEqual(['first', 1, ['notes/a b.md']])
		const newer = await bundleOf({
			model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
			files: { ...program(code), 'memory/list.md': 'from the new version' },
		})
		const updated = await one.call(`/v1/deployments/${agent.id}/versions`, {
			token: account.token,
			body: upload(newer),
		})
		expect(updated.status).toBe(201)
		const second = await run(two, at(agent, two))
		expect(JSON.parse(String(second.body.output))).toEqual(['first+', 3, ['notes/a b.md']])
		expect((await file(agent, 'list.md')).body).toMatchObject({
			content: 'first++',
			version: 4,
			updated_by: second.body.id,
		})
		const events = await one.call<string>(`${agent.url}/runs/${second.body.id}/events`, {
			token: agent.run_key,
		})
		expect(events.text).toContain('"data":{"path":"list.md","version":4,"size":7}')
	})

	// Proves: memory.no-blind-write
	test('cannot write over what it has not seen', async () => {
		const code = `
			const fails = async (work) => work.then(() => 'no', (error) => error.code)
			const blind = await fails(ctx.memory.write('list.md', 'x'))
			const stale = await fails(ctx.memory.write('list.md', 'x', { version: 7 }))
			const seen = await ctx.memory.read('list.md')
			await ctx.memory.write('list.md', 'mine')
			const twice = await ctx.memory.write('list.md', 'mine, too')
			await ctx.memory.delete('list.md')
			const gone = await fails(ctx.memory.read('list.md'))
			return JSON.stringify([blind, stale, twice.version, gone])`
		const agent = await made('m', program(code))
		expect(JSON.parse(String((await run(one, agent)).body.output))).toEqual([
			'conflict',
			'conflict',
			4,
			'not_found',
		])
	})

	test('is answered at once where there can be no such path', async () => {
		const agent = await made(
			'm',
			program(`
			const fails = (call) => call.then(() => 'no failure', ({ code }) => code)
			const path = 'list.md\\0'
			const failures = [
				await fails(ctx.memory.read(path)),
				await fails(ctx.memory.write(path, 'x')),
				await fails(ctx.memory.delete(path)),
			]
			return JSON.stringify([...failures, (await ctx.memory.list(path)).length])`),
			'limits: { seconds: 5 }',
		)
		const { body } = await run(one, agent)
		expect(body.output).toBe('["not_found","invalid_request","not_found",0]')
	})

	// Proves: memory.loop-tool
	test('has the tool of the standard loop, with all its commands', async () => {
		const code = `
			const said = []
			const call = async (command, more = {}) => {
				const { ok, output } = await ctx.tools.call('memory', { command, ...more })
				said.push(ok ? output : 'refused: ' + output)
			}
			await call('create', { path: '/memories/list.md', file_text: 'unseen' })
			await call('view', { path: '/memories/notes' })
			await call('create', { path: '/memories/new.md', file_text: 'a\\nb\\nb' })
			await call('view', { path: '/memories/new.md', view_range: [2, 3] })
			await call('str_replace', { path: '/memories/new.md', old_str: 'b', new_str: 'c' })
			await call('str_replace', { path: '/memories/new.md', old_str: 'a', new_str: '$&' })
			await call('insert', { path: '/memories/new.md', insert_line: 4, insert_text: 'x' })
			await call('rename', { old_path: '/memories/notes', new_path: '/memories/old' })
			await call('rename', { old_path: '/memories/new.md', new_path: '/memories/list.md' })
			await call('delete', { path: '/memories/old' })
			await call('delete', { path: '/memories' })
			await call('view', { path: '/etc/passwd' })
			await call('view')
			return said.join('\\n--\\n')`
		const agent = await made('m', program(code))
		const { body } = await run(one, agent)
		expect(String(body.output).split('\n--\n')).toEqual([
			'refused: list.md was not changed: it is there, in version 1; read it first.',
			'Bytes and paths of the files in /memories/notes:\n4\t/memories/notes/a b.md',
			'/memories/new.md is written.',
			'     2\tb\n     3\tb',
			'refused: old_str occurs 2 times in /memories/new.md; nothing was changed.',
			'/memories/new.md is edited.',
			'refused: /memories/new.md has 3 lines; nothing was changed.',
			'/memories/notes is now /memories/old.',
			'refused: list.md was not changed: it is there, in version 1; read it first.',
			'/memories/old is deleted.',
			'refused: /memories itself stays as it is.',
			'refused: A path begins with /memories; /etc/passwd does not.',
			'Bytes and paths of the files in /memories:\n5\t/memories/list.md\n6\t/memories/new.md',
		])
		expect((await file(agent, 'new.md')).body.content).toBe('$&\nb\nb')
	})

	// Proves: memory.concurrent-edits
	test('loses nothing where many edit one file at once, on two hosts', async () => {
		const agent = await made(
			'adder',
			seed,
			'inputs: { type: object, properties: { line: { type: string } } }',
		)
		const lines = Array.from({ length: 12 }, (_, i) => `line-${i}`)
		const answers = await Promise.all(
			lines.map((line, i) => {
				const host = i % 2 ? one : two
				return run(host, at(agent, host), { line })
			}),
		)
		expect(answers.map(({ body }) => body.output)).toEqual(lines.map(() => 'Added.'))
		const { content } = (await file(agent, 'list.md')).body
		expect(content.split('\n').sort()).toEqual(['first', ...lines].sort())
	})

	// Proves: memory.one-write-one-version
	test('whose host is killed between a write and its commit makes one version', async () => {
		const code = `
			const { version } = await ctx.memory.write('once.md', 'once')
			await ctx.model('wait')
			return String(version)`
		const agent = await made('slow', program(code))
		const third = await startBeside(one, { HOST_LEASE_SECONDS: '3' })
		const { id, types } = await withSql(one, async (sql) => {
			const id = await sql.begin(async (tx) => {
				const begun = await sql.begin(async (before) => {
					await before`lock table memory_versions in exclusive mode`
					const { body } = await run(third, at(agent, third), {}, { prefer: 'respond-async' })
					await until(async () => (await sql`select 1 from journal where run_id = ${body.id}`).length > 0)
					// From here on nothing is written down of what the run does.
					await tx`lock table journal in exclusive mode`
					return body.id
				})
				await until(async () => (await sql`select 1 from memory_versions where actor = ${begun}`).length > 0)
				await third.kill('SIGKILL')
				await sql`
					select pg_terminate_backend(pid) from pg_stat_activity
					where datname = current_database() and wait_event_type = 'Lock' and query like '%journal%'`
				return begun
			})
			// By the time another host goes on with it, five hundred others have written.
			await put(agent, 'once.md', 'twice')
			await sql`update memory_totals set writes = writes + 500 where deployment_id = ${agent.id}`
			await put(agent, 'other.md', 'more')
			const rows = await sql`select entries from journal where run_id = ${id}`
			const entries = rows.flatMap(({ entries }) => JSON.parse(entries) as { type: string }[])
			return { id, types: entries.map(({ type }) => type) }
		})
		// The write is there, and the journal does not know it.
		expect(types).toEqual(['run.started'])
		const done = await until(async () => {
			const { body } = await one.call<{ status: string; output: string }>(`${agent.url}/runs/${id}`, {
				token: agent.run_key,
			})
			return body.status === 'succeeded' && body
		})
		expect(done.output).toBe('3')
		const versions = await one.call<MemoryVersions>(`${agent.url}/memory-versions/once.md`, {
			token: account.token,
		})
		expect(versions.body.data).toMatchObject([{ version: 4 }, { version: 3, updated_by: id }])
		await third.close()
	})
})
