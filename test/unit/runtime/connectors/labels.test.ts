/** Event streams whose label says something else. */
import { afterEach, expect, test } from 'vitest'
import { isEvents } from '../../../../runtime/egress/index.ts'
import { start, stopAll } from './fixture.ts'

afterEach(stopAll)

test.each(['text/plain', 'text/plain; charset=utf-8', ''])('labelled %j, a stream is read', async (label) => {
	const { server, call, list } = await start({ era: 'session', label })
	expect(await list(['echo'])).toMatchObject({ tools: [{ name: 'echo' }] })
	expect(await call('echo', { text: 'hello' })).toEqual({ ok: true, output: 'hello' })
	expect(server.calls).toHaveLength(1)
})

test.each([
	['data: {}', true],
	['event: message', true],
	[': ping', true],
	['\u00ef\u00bb\u00bf\r\n\nid: 1', true],
	['', undefined],
	['da', undefined],
	['\n\nretr', undefined],
	['\u00ef\u00bb', undefined],
	['{"jsonrpc"', false],
	['database', false],
	['\n'.repeat(64), false],
] as const)('%j begins a stream: %s', (start, expected) => {
	expect(isEvents('text/plain', Buffer.from(start, 'latin1'))).toBe(expected)
	expect(isEvents('text/html', Buffer.from(start, 'latin1'))).toBe(false)
	expect(isEvents('text/event-stream', Buffer.from(start, 'latin1'))).toBe(true)
})
