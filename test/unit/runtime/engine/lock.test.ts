import { expect, test } from 'vitest'
import { agentUrls } from '../../../../host/places/address.ts'
import type { RemoteTool } from '../../../../runtime/process/connectors/index.ts'
import { changedTools, definitionOf } from '../../../../runtime/process/engine/lock.ts'
import type { Services } from '../../../../runtime/process/engine/services.ts'
import { CONNECTOR, FakeHost, fakeConnectors, withTools, world } from '../../../kit/engine/fakes.ts'

// The tool lock: what counts as a change, and for whom.

const GUARD = 'http://guard.example.com/mcp'
const tool = (changes: Partial<RemoteTool> = {}): RemoteTool => ({
	name: 'lookup',
	description: 'Looks it up',
	input: { type: 'object' },
	readOnly: true,
	idempotent: true,
	needsTask: false,
	agent: false,
	hash: 'sha256:all',
	plainHash: 'sha256:plain',
	schemaHash: 'sha256:schemas',
	...changes,
})
const services = (locks: Record<string, string>) =>
	({
		guardUrl: GUARD,
		host: new FakeHost(),
		credentials: {
			locks: () => locks,
			setLocks: (_d: string, _c: string, next: object) => Object.assign(locks, next),
		},
	}) as unknown as Services

// Proves: connector.lock
test('a tool is locked by all of its definition, and the guard of this host by its schemas', async () => {
	for (const [url, hash] of [
		[CONNECTOR, 'sha256:all'],
		[GUARD, 'sha256:schemas'],
	] as const) {
		const locks: Record<string, string> = {}
		expect([...(await changedTools(services(locks), 'dep_1', url, [tool()]))]).toEqual([])
		expect(locks).toEqual({ lookup: hash })
	}
})

// Proves: connector.lock
test('other words change a tool, but not one of the guard; another schema changes both', async () => {
	const words = tool({ hash: 'sha256:other', description: 'Other words' })
	const schema = tool({ hash: 'sha256:other', schemaHash: 'sha256:other' })
	const changed = async (url: string, now: RemoteTool) => {
		const locks = { lookup: definitionOf(services({}), url, tool(), undefined).hash }
		return [...(await changedTools(services(locks), 'dep_1', url, [now]))]
	}
	expect(await changed(CONNECTOR, words)).toEqual(['lookup'])
	expect(await changed(GUARD, words)).toEqual([])
	expect(await changed(GUARD, schema)).toEqual(['lookup'])
})

// Proves: connector.lock-addresses
test.each([
	['that locked it as its own guard’s', GUARD, 'http://other.example.com/mcp', 'sha256:schemas'],
	['that locked it as a stranger’s', 'http://other.example.com/mcp', GUARD, 'sha256:all'],
])('a host with another address than the one %s finds no change', async (_, first, second, lock) => {
	const locks: Record<string, string> = {}
	const by = (guardUrl: string) => ({ ...services(locks), guardUrl }) as Services
	expect([...(await changedTools(by(first), 'dep_1', GUARD, [tool()]))]).toEqual([])
	expect(locks).toEqual({ lookup: lock })
	expect([...(await changedTools(by(second), 'dep_1', GUARD, [tool()]))]).toEqual([])
	expect(definitionOf(by(second), GUARD, tool(), lock).hash).toBe(lock)
	const schema = tool({ hash: 'sha256:other', schemaHash: 'sha256:changed' })
	expect([...(await changedTools(by(second), 'dep_1', GUARD, [schema]))]).toEqual(['lookup'])
})

// Proves: connector.lock-agent
test('an agent of this place that was locked as any tool has not changed; another server that says it is one has', async () => {
	const ownAgents = new RegExp(agentUrls({ url: 'http://host.example.com', domain: '' }))
	const own = 'http://host.example.com/d/helper-1x/mcp'
	const elsewhere = 'http://host.example.com.evil.example/d/helper-1x/mcp'
	const agent = tool({ agent: true, hash: 'sha256:agent' })
	const changed = async (url: string, locks: Record<string, string>) => [
		...(await changedTools({ ...services(locks), ownAgents } as Services, 'dep_1', url, [agent])),
	]
	expect(await changed(own, { lookup: 'sha256:plain' })).toEqual([])
	expect(await changed(elsewhere, { lookup: 'sha256:plain' })).toEqual(['lookup'])
	expect(await changed(elsewhere, { lookup: 'sha256:agent' })).toEqual([])
	const locks = {}
	expect(await changed(own, locks)).toEqual([])
	expect(locks).toEqual({ lookup: 'sha256:agent' })
})

test.each([
	[{ url: 'https://host.example.com', domain: '' }, 'https://host.example.com/d/a-1/mcp'],
	[{ url: 'https://host.example.com', domain: 'run.example.com' }, 'https://a-1.run.example.com/mcp'],
])('the address of an agent of the place %j is known', (place, url) => {
	const own = new RegExp(agentUrls(place))
	expect(url).toMatch(own)
	for (const other of [`${url}/`, `x${url}`, url.replace('example', 'examp1e'), url.replace('.com', 'xcom')])
		expect(other).not.toMatch(own)
})

// Proves: connector.changed-tool
test('a tool that is changed while a run is under way is not called by it any more', async () => {
	const changed = fakeConnectors([{ name: 'lookup', hash: 'sha256:second' }])
	const { connectors, begin, host } = world({
		yaml: withTools('lookup'),
		tools: [{ name: 'lookup', hash: 'sha256:first' }],
		program: async (guest) => {
			await guest.effect('tool.call', { name: 'lookup', input: {} })
			Object.assign(connectors, { list: changed.list })
			const again: { output: string } = await guest.effect('tool.call', { name: 'lookup', input: {} })
			return again.output
		},
	})
	const { outcome } = await begin()
	expect(connectors.calls).toHaveLength(1)
	expect(JSON.stringify(outcome)).toContain('tool_changed')
	const [, second] = host.journal.filter(({ type }) => type === 'tool.completed')
	expect(second?.data).toMatchObject({ ok: false, error: { code: 'tool_changed' } })
})
