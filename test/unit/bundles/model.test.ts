import { describe, expect, it } from 'vitest'
import { faultLine, parseAgent } from '../../../bundles/index.ts'

const faultsOf = (text: string) => parseAgent(text).faults.map(faultLine)
const model = (members: string, rest = '') =>
	faultsOf(`name: a\nmodel:\n${members.replace(/^(?=.)/gm, '  ')}\n${rest}`)

describe('options of a model', () => {
	// Proves: model.options
	it('are taken by the interfaces that have them', () => {
		const everywhere =
			'temperature: 0.2\ntop_p: 0.9\nmax_tokens: 500\neffort: low\nparallel_tool_calls: false\ntool_choice: { tool: add }\nstrict: false'
		expect(model(`provider: openai\nname: m\n${everywhere}`)).toEqual([])
		expect(model(`provider: openai\napi: chat\nname: m\nseed: 7\nstop: ["END"]\n${everywhere}`)).toEqual([])
		expect(
			model(
				`provider: anthropic\nname: m\nstop: ["END"]\nthinking_tokens: 1024\n${everywhere}`.replace(
					'500',
					'5000',
				),
			),
		).toEqual([])
	})

	// Proves: model.options-refused
	it.each([
		['openai', 'seed: 7', "is no option of OpenAI's `responses` (`api: chat` has it)"],
		['openai', 'stop: [x]', "is no option of OpenAI's `responses` (`api: chat` and Anthropic have it)"],
		['openai', 'thinking_tokens: 2000', "is no option of OpenAI's `responses`: write `effort`"],
		['anthropic', 'seed: 7', "is no option of Anthropic's `messages` (`api: chat` has it)"],
		['anthropic', 'temperature: 1.5', 'goes up to 1 at Anthropic'],
		['anthropic', 'effort: minimal', 'begins with low at Anthropic, which has no minimal'],
		['anthropic', 'thinking_tokens: 2000\nmax_tokens: 2000', 'are part of max_tokens and must be fewer'],
		['openai', 'tool_choice: any', 'must be auto, none, required, or { tool: NAME }'],
		[
			'openai',
			'effort: low\nparameters: { reasoning: { effort: high } }',
			'stands in `parameters`, too (reasoning.effort): write it once',
		],
	])('are refused at their line where %s has none such: %s', (provider, text, message) => {
		const [option] = text.split(':')
		expect(model(`provider: ${provider}\nname: m\n${text}`)).toEqual([
			`agent.yaml:5 /model/${option}: ${message}`,
		])
	})

	// Proves: model.strict
	it('refuse a guarantee for a schema that the provider cannot guarantee', () => {
		const output = (schema: string) => `output: ${schema}\n`
		const open = output('{ type: object, properties: { a: { type: string } } }')
		const closed = output(
			'{ type: object, additionalProperties: false, required: [a], properties: { a: { type: string } } }',
		)
		expect(model('provider: openai\nname: m\nstrict: true', open).join()).toContain(
			'agent.yaml:5 /model/strict: the schema `output` is no schema that OpenAI guarantees',
		)
		expect(model('provider: openai\nname: m\nstrict: true', closed)).toEqual([])
		expect(model('provider: anthropic\nname: m\nstrict: true', open)).toEqual([])
		expect(model('provider: anthropic\nname: m\nstrict: true', output('{ type: object }'))).toHaveLength(1)
	})
})
