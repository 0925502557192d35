import type { Entry, Usage } from '../../runtime/wire/journal.ts'
import type { Span, TracedRun } from './types.ts'

// Names of OpenTelemetry's semantic conventions for generative AI, as of 2026-11. They are still in development there, so
// they are written down here and not taken from a package whose next version may rename them.

type Attributes = Span['attributes']

/** Without what is undefined. */
function some(given: Record<string, Attributes[string] | undefined>): Attributes {
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Attributes
}

export function agentAttributes(run: TracedRun, usage: Usage): Attributes {
	return {
		'gen_ai.operation.name': 'invoke_agent',
		...providerOf(run),
		'gen_ai.agent.id': run.deployment.id,
		'gen_ai.agent.name': run.deployment.name,
		'gen_ai.agent.version': String(run.version),
		'gen_ai.conversation.id': run.id,
		...usageOf(usage),
	}
}

/** What a call's first and last entry tell of it. `last` null: it was cut off. */
export function effectSpan(
	run: TracedRun,
	first: Entry,
	last: Entry | null,
	content: boolean,
): Pick<Span, 'name' | 'kind' | 'attributes'> {
	const { name, kind, attributes } = kinds[kindOf(first)](run, first.data, last?.data ?? {}, content)
	return { name, kind, attributes: { ...some(attributes), 'gen_ai.conversation.id': run.id } }
}

interface Told {
	name: string
	kind: Span['kind']
	attributes: Record<string, Attributes[string] | undefined>
}
type Tell = (run: TracedRun, first: Entry['data'], last: Entry['data'], content: boolean) => Told

const kindOf = ({ type }: Entry) => type.slice(0, type.indexOf('.')) as 'model' | 'tool' | 'http'

const kinds: Record<'model' | 'tool' | 'http', Tell> = {
	model(run, first, last, content) {
		// A call that was refused before it began names no model.
		const model = text(first.model)
		const stop = text(last.stop)
		return {
			name: model ? `chat ${model}` : 'chat',
			kind: 'client',
			attributes: {
				'gen_ai.operation.name': 'chat',
				...providerOf(run),
				'gen_ai.request.model': model,
				'gen_ai.response.model': text(last.model),
				'gen_ai.response.finish_reasons': stop === undefined ? undefined : [stop],
				...usageOf(last.usage as Usage | undefined),
				...(content && last.text !== undefined
					? { 'gen_ai.output.messages': textOfMessage('assistant', String(last.text)) }
					: undefined),
			},
		}
	},
	tool(_run, first, last, content) {
		const name = String(first.name)
		const connector = text(first.connector)
		return {
			name: `execute_tool ${name}`,
			kind: connector === undefined ? 'internal' : 'client',
			attributes: {
				'gen_ai.operation.name': 'execute_tool',
				'gen_ai.tool.name': name,
				'gen_ai.tool.type': connector === undefined ? 'function' : 'extension',
				'gen_ai.tool.call.id': text(first.call_id),
				'server.address': hostOf(connector),
				...(content && {
					'gen_ai.tool.call.arguments': JSON.stringify(first.input),
					'gen_ai.tool.call.result': text(last.output),
				}),
			},
		}
	},
	http(_run, first, last) {
		const method = text(first.method)
		return {
			name: method || 'HTTP',
			kind: 'client',
			attributes: {
				'http.request.method': method,
				'server.address': hostOf(text(first.url)),
				'http.response.status_code': typeof last.status === 'number' ? last.status : undefined,
			},
		}
	},
}

/** Of a run that goes on with an older version, another may be the deployment's by now. */
function providerOf({ deployment, version }: TracedRun): Attributes {
	return deployment.version === version ? { 'gen_ai.provider.name': deployment.agent.model.provider } : {}
}

function usageOf(usage: Partial<Usage> | undefined): Attributes {
	return some({
		'gen_ai.usage.input_tokens': usage?.input_tokens,
		'gen_ai.usage.cache_read.input_tokens': usage?.cached_input_tokens,
		'gen_ai.usage.output_tokens': usage?.output_tokens,
	})
}

export const textOfMessage = (role: 'user' | 'assistant', content: string) =>
	JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
/** Paths and queries of an address may tell of people. */
const hostOf = (url: string | undefined) => (url && URL.parse(url)?.hostname) || undefined
