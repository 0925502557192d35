import { describe, expect, it } from 'vitest'
import { upstreamOf } from '../../../../host/owner/cli/dev/agent.ts'
import { type Answer, filesIn, keyOf, player, turnOf } from '../../../../host/owner/cli/dev/recording.ts'
import { localAddresses, strange, type Team } from '../../../../host/owner/cli/dev/team.ts'

const answer = (key: string, turn: number, body: string): Answer => ({
	...{ key, agent: 'a', path: '/v1/responses', turn },
	...{ type: 'application/json', body },
})
const asked = (key: string, turn: number, agent = 'a') => ({ key, agent, path: '/v1/responses', turn })

describe('a recording', () => {
	it('answers by the request, in order, and then by the last answer', () => {
		const play = player({ answers: [answer('k', 0, '1'), answer('k', 0, '2'), answer('l', 1, '3')] })
		const bodies = ['k', 'k', 'k', 'l'].map((key) => play(asked(key, 0))?.answer.body)
		expect(bodies).toEqual(['1', '2', '2', '3'])
	})

	// Proves: develop.dev-replay
	it('answers a changed request by its turn and agent, and says that it is another', () => {
		const play = player({ answers: [answer('k', 0, '1'), answer('l', 1, '2')] })
		expect(play(asked('changed', 1))).toMatchObject({ answer: { body: '2' }, exact: false })
		expect(play(asked('k', 0))).toMatchObject({ answer: { body: '1' }, exact: true })
		expect(play(asked('changed', 2))).toBeNull()
		expect(play(asked('changed', 1, 'b'))).toBeNull()
	})

	it('has one key for a request of any deployment and model', () => {
		const body = { input: 'x', model: 'm', prompt_cache_key: 'dep_1' }
		expect(keyOf('/p', body)).toBe(keyOf('/p', { ...body, model: 'n', prompt_cache_key: 'dep_2' }))
		expect(keyOf('/p', body)).not.toBe(keyOf('/p', { ...body, input: 'y' }))
	})

	// Proves: develop.dev-replay
	it('knows files by their order: their ids are others in each run, and an answer names those of its own', () => {
		const id = (letter: string) => `file_${letter.repeat(26)}`
		const body = (...ids: string[]) => ({ input: ids.map((one) => `File "a" (${one}, text/csv, 3 bytes):`) })
		expect(keyOf('/p', body(id('a'), id('b'), id('a')))).toBe(keyOf('/p', body(id('c'), id('d'), id('c'))))
		expect(keyOf('/p', body(id('a'), id('b')))).not.toBe(keyOf('/p', body(id('a'), id('a'))))
		const files = filesIn(body(id('b'), id('a'), id('b')))
		expect(files).toEqual([id('b'), id('a')])
		const play = player({ answers: [{ ...answer('k', 0, `reads ${id('a')}`), files }] })
		expect(play({ ...asked('k', 0), files: [id('y'), id('z')] })?.answer.body).toBe(`reads ${id('z')}`)
	})

	it('counts the answers of a conversation in each wire format', () => {
		const call = { type: 'function_call' }
		expect(turnOf({ input: [{ role: 'user' }, call, call, { type: 'function_call_output' }, call] })).toBe(2)
		expect(turnOf({ messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }] })).toBe(1)
		const searched = [
			{ role: 'assistant' },
			{ type: 'web_search_call' },
			call,
			{ type: 'function_call_output' },
		]
		expect(turnOf({ input: searched })).toBe(1)
		expect(turnOf({})).toBe(0)
	})
})

describe('where model calls go', () => {
	const openai = { provider: 'openai', name: 'm' } as const
	const at = (base_url: string) => ({ ...openai, base_url })

	const local = 'http://127.0.0.1:1234/v1'
	const anthropic = { ...openai, provider: 'anthropic' } as const
	const [official, claude] = ['https://api.openai.com/v1', 'https://api.anthropic.com']

	// Proves: develop.dev-key
	it.each([
		[openai, {}, official, undefined],
		[openai, { OPENAI_API_KEY: 'sk' }, official, 'sk'],
		[openai, { OPENAI_BASE_URL: `${local}/` }, local, 'none'],
		[openai, { OPENAI_BASE_URL: local, OPENAI_API_KEY: 'sk' }, local, 'sk'],
		[
			at('https://own.example/api'),
			{ OPENAI_BASE_URL: local, OPENAI_API_KEY: 'sk' },
			'https://own.example/api',
			'none',
		],
		[anthropic, { ANTHROPIC_API_KEY: 'sk-ant' }, claude, 'sk-ant'],
		[anthropic, { OPENAI_API_KEY: 'sk', OPENAI_BASE_URL: local }, claude, undefined],
		[{ ...anthropic, base_url: 'https://own.example/v1/' }, {}, 'https://own.example', 'none'],
	] as const)('%o with %o', (model, env, url, key) => {
		expect(upstreamOf(model, env)).toMatchObject({ url, key })
	})

	it('has the key that its owner names, wherever that is', () => {
		expect(upstreamOf(at('https://own.example'), { OWN: 'sk-own' }, 'OWN')).toMatchObject({ key: 'sk-own' })
		expect(upstreamOf(openai, {}, 'OWN').missing).toMatch(/^OWN is not set/)
	})
})

// Proves: develop.dev-team
it('an address of an agent beside is the local one, with and without the letters of a slug', () => {
	const team = new Map([['researcher', { url: 'http://h/d/researcher-1' }]]) as unknown as Team
	const requires = [
		'https://a.example/d/researcher/mcp',
		'https://b.example/d/researcher-4kz8/mcp',
		'https://c.example/mcp',
	]
	const agent = { requires: requires.map((connector) => ({ connector })) } as never
	expect([...localAddresses(agent, team)]).toEqual(
		requires.slice(0, 2).map((connector) => [connector, 'http://h/d/researcher-1/mcp']),
	)
	const wrong = 'https://a.example/d/reesearcher/mcp'
	expect(strange(wrong, ['a', 'b'])).toBe('no local agent is named reesearcher; here: a, b')
	expect([strange(wrong, []), strange('https://c.example/mcp', ['a'])]).toEqual([undefined, undefined])
})
