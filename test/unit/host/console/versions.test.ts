import { expect, test } from 'vitest'
import { lineChanges, nearChanges } from '../../../../host/console/data/lines.ts'
import { changesOf } from '../../../../host/console/pages/agent/versions/changes.ts'
import type { VersionDetail } from '../../../../host/owner/client/index.ts'

const before: VersionDetail = {
	version: 1,
	active: false,
	created_at: '2026-01-01T00:00:00.000Z',
	digest: 'a',
	commit: 'a',
	name: 'triage',
	description: null,
	model: { provider: 'openai', name: 'small', options: { temperature: 0, reasoning: { effort: 'low' } } },
	prompt: { path: 'prompt.md', text: 'Be kind.\n' },
	inputs: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
	output: null,
	connectors: [
		{
			connector: 'https://crm.example/mcp',
			auth: 'oauth',
			scopes: ['read', 'write'],
			tools: [{ name: 'find', approval: false, screen: false, idempotent: false }],
			settings: {},
		},
	],
	tools: {},
	http: {},
	models: {},
	limits: { steps: 4 },
	skills: [{ name: 'sums', description: 'Adds', text: 'Add.\n' }],
	unfit_schedules: [],
	files: [{ path: 'prompt.md', bytes: 9, sha256: 'a' }],
}

test('two versions that hold the same differ in nothing', () => {
	expect(changesOf(before, { ...before, version: 2, commit: 'b' })).toEqual({ groups: [], texts: [] })
})

// Proves: console.agent-versions
test('versions are compared by model, limits, scopes, tools, inputs, skills and texts', () => {
	const [connector] = before.connectors
	const after: VersionDetail = {
		...before,
		model: { provider: 'openai', name: 'large', options: { temperature: 0, reasoning: { effort: 'high' } } },
		prompt: { path: 'prompt.md', text: 'Be curt.\n' },
		inputs: { type: 'object', properties: { city: { type: 'integer' } }, required: ['city'] },
		connectors: connector
			? [
					{
						...connector,
						scopes: ['read', 'admin'],
						tools: [
							{ name: 'find', approval: true, screen: false, idempotent: false },
							{ name: 'pay', approval: false, screen: false, idempotent: true },
						],
					},
				]
			: [],
		limits: { steps: 9, usd: 1 },
		skills: [{ name: 'sums', description: 'Adds', text: null }],
		files: [],
	}
	const { groups, texts } = changesOf(before, after)
	expect(Object.fromEntries(groups.map(({ title, changes }) => [title, changes]))).toEqual({
		Model: [
			{ what: 'name', before: 'small', after: 'large' },
			{ what: 'reasoning.effort', before: 'low', after: 'high' },
		],
		Limits: [
			{ what: 'steps', before: '4', after: '9' },
			{ what: 'usd', after: '1' },
		],
		'Connectors and scopes': [
			{ what: 'https://crm.example/mcp: scope write', before: '' },
			{ what: 'https://crm.example/mcp: scope admin', after: '' },
		],
		Tools: [
			{
				what: 'find of https://crm.example/mcp',
				before: 'called without asking',
				after: 'a person decides about each call',
			},
			{ what: 'pay of https://crm.example/mcp', after: 'called without asking, may be repeated' },
		],
		Inputs: [{ what: 'properties.city.type', before: 'string', after: 'integer' }],
		Files: [{ what: 'prompt.md', before: '9 bytes' }],
	})
	// A text that is too long to be sent is told by its file.
	expect(texts).toEqual([{ title: 'Prompt', before: 'Be kind.\n', after: 'Be curt.\n' }])
})

test('lines that changed are found between those that did not, and the rest is counted', () => {
	const old = Array.from({ length: 20 }, (_, i) => `line ${i}`)
	const now = old.toSpliced(10, 1, 'new').toSpliced(0, 0, 'first')
	const lines = lineChanges(old.join('\n'), now.join('\n'))
	expect(lines.filter(({ kind }) => kind !== 'same')).toEqual([
		{ kind: 'added', text: 'first' },
		{ kind: 'removed', text: 'line 10' },
		{ kind: 'added', text: 'new' },
	])
	expect(lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(old)
	expect(lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(now)
	expect(nearChanges(lines, 1).filter(({ kind }) => kind === 'hole')).toEqual([
		{ kind: 'hole', lines: 8 },
		{ kind: 'hole', lines: 8 },
	])
})

test('texts that are too large to be compared line by line are shown as replaced', () => {
	const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join('\n')
	const lines = lineChanges(`same\n${many('a')}`, `same\n${many('b')}`)
	expect(lines).toHaveLength(6001)
	expect(lines[0]).toEqual({ kind: 'same', text: 'same' })
})
