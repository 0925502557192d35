import { afterEach, describe, expect, test } from 'vitest'
import { ConnectorError } from '../../../../runtime/process/connectors/index.ts'
import { eras, start, stopAll } from './fixture.ts'

afterEach(stopAll)

const FIRST = 'token-FIRST-0123456789abcdef'
const SECOND = 'token-SECOND-0123456789abcdef'

describe.each(eras)('a bearer token, era %s,', (era) => {
	// Proves: connector.token-goes-only-there
	test('goes with every request', async () => {
		const { call, server } = await start({ era, token: FIRST }, {}, { token: async () => FIRST })
		expect((await call('echo', { text: 'x' })).ok).toBe(true)
		for (const { headers } of server.requests) expect(headers.authorization).toBe(`Bearer ${FIRST}`)
	})

	// Proves: connector.token-refused
	test('that is turned away is asked for once more, and then it is a matter of signing in', async () => {
		const refused: (string | undefined)[] = []
		const token = async (old?: string) => {
			refused.push(old)
			return FIRST
		}
		const { call } = await start({ era, token: SECOND }, {}, { token })
		const denied = { code: 'connector_not_connected', reason: 'unauthorized' }
		await expect(call('echo', { text: 'x' })).rejects.toMatchObject(denied)
		expect(refused).toEqual([undefined, FIRST])
	})

	// Proves: connect.refresh-early-end
	test('that expires between two calls is refreshed within the second', async () => {
		let current = FIRST
		const token = async (refused?: string) => {
			if (refused === FIRST) current = SECOND
			return current
		}
		const { call, server, asked } = await start({ era, token: FIRST }, {}, { token })
		expect((await call('charge', { key: 'a' })).ok).toBe(true)
		server.options.token = SECOND
		expect((await call('charge', { key: 'b' })).ok).toBe(true)
		expect(server.calls.map(({ args }) => args.key)).toEqual(['a', 'b'])
		expect(asked('server/discover')).toBe(1)
	})

	// Proves: credential.redacted
	test('comes back in no result and no failure', async () => {
		const { call, server } = await start({ era, token: FIRST }, {}, { token: async () => FIRST })
		const leak = await call('echo', { text: `${FIRST} ${btoa(`Bearer ${FIRST}`)}` })
		expect(JSON.stringify(leak)).not.toContain(FIRST)
		expect(leak.output).toMatch(/^\[redacted\] \S*\[redacted\]\S*$/)
		server.options.tools = [{ name: 'echo', run: () => Promise.reject(new Error(`no: ${FIRST}`)) }]
		const failed = await call('echo', {}).then(JSON.stringify, (error) => `${error.message} ${error.cause}`)
		expect(failed).toContain('[redacted]')
		expect(failed).not.toContain(FIRST)
	})
})

test('a connector that wants a sign-in where the agent has none is unavailable', async () => {
	const { call } = await start({ token: FIRST })
	await expect(call('echo', {})).rejects.toMatchObject({
		code: 'connector_unavailable',
		reason: 'unauthorized',
	})
})

test('what the supplier of a token says is what the call ends with, while connecting and later', async () => {
	const gone = new ConnectorError('connector_not_connected', 'unauthorized', 'the sign-in is gone')
	const never = await start({ token: FIRST }, {}, { token: () => Promise.reject(gone) })
	await expect(never.call('echo', {})).rejects.toBe(gone)
	const token = (refused?: string) => (refused === undefined ? Promise.resolve(FIRST) : Promise.reject(gone))
	const later = await start({ token: FIRST }, {}, { token })
	expect((await later.call('echo', {})).ok).toBe(true)
	later.server.options.token = SECOND
	await expect(later.call('echo', {})).rejects.toBe(gone)
})

test('a connection belongs to one version of its credential, and the older one is closed', async () => {
	const { connectors, target, server, asked } = await start({ era: 'session' })
	const options = { signal: new AbortController().signal, timeoutMs: 30_000 }
	for (const credentialVersion of [1, 1, 2, 2]) {
		await connectors.call({ ...target, credentialVersion }, 'echo', { text: 'x' }, options)
	}
	expect(asked('initialize')).toBe(2)
	await expect.poll(() => asked('DELETE')).toBe(1)
	const sessions = new Set(server.requests.map(({ headers }) => headers['mcp-session-id']).filter(Boolean))
	expect(sessions.size).toBe(2)
})
