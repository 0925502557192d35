import { expect, it } from 'vitest'
import { answersOf } from '../../../../host/owner/cli/agent-test/keep.ts'
import type { RunEvent } from '../../../../host/owner/client/index.ts'

const event = (type: string, data: object) => ({ type, data }) as RunEvent

// Proves: develop.test-case
it('keeps one answer of a call that a crash began again', () => {
	const request = { messages: [{ role: 'user', content: 'hi' }] }
	const tool = { call: 2, name: 'find', connector: 'https://mcp.example/mcp' }
	const { model, tools } = answersOf([
		event('model.started', { call: 1, request }),
		event('run.started', { attempt: 2 }),
		event('model.started', { call: 1, attempt: 2, request }),
		event('model.completed', { call: 1, stop: 'end', text: 'yes' }),
		event('tool.started', tool),
		event('tool.started', { ...tool, attempt: 2 }),
		event('tool.completed', { call: 2, ok: true, output: 'found' }),
	])
	expect(model).toEqual([{ stop: 'end', text: 'yes' }])
	expect(tools).toEqual({ find: [{ ok: true, output: 'found' }] })
})
