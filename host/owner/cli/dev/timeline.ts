/** A run as it happens, for the terminal. */
import type { RunEvent } from '../../client/index.ts'

type Data = Record<string, unknown>

export interface Timeline {
	event(event: RunEvent): void
	/** Said between two events. */
	note(text: string): void
	/** What a model said last, whole. */
	said(): string
}

const VALUE_CHARS = 300
const INDENT = '         '

/** `write` takes text as it is, without a line end of its own. `places`: turns `agent.ts:3:1` into a path from here. */
export function createTimeline(write: (text: string) => void, places: (text: string) => string): Timeline {
	/** A model is in the middle of its answer. */
	let speaking = false
	/** By call: the model said it as it came. */
	const streamed = new Set<unknown>()
	let last = { of: '', text: '' }
	const line = (text: string) => {
		if (speaking) write('\n')
		speaking = false
		write(`${text}\n`)
	}
	return {
		note: line,
		said: () => last.text,
		event({ type, run, data }) {
			if (type === 'run.started') last = { of: '', text: '' }
			if (type === 'model.delta') {
				write((speaking ? '' : INDENT) + String(data.text).replaceAll('\n', `\n${INDENT}`))
				speaking = true
				streamed.add(data.call)
				const of = `${data.call}/${data.attempt}`
				last = { of, text: (last.of === of ? last.text : '') + data.text }
				return
			}
			if (type === 'model.completed' && data.text && !streamed.has(data.call)) {
				line(body(String(data.text)))
				last = { of: '', text: String(data.text) }
			}
			for (const text of linesOf(type, run, data)) line(places(text))
		},
	}
}

function linesOf(type: string, run: string, data: Data): string[] {
	switch (type) {
		case 'run.started':
			return [`▶ ${run}, version ${data.version}`]
		case 'model.started':
			return [`  model  ${data.model}`]
		case 'model.completed':
			return data.error
				? [failed(data)]
				: [...searched(data), `${INDENT}${tokens(data)}${ms(data)}`, ...sources(data)]
		case 'model.retrying':
			return [`${INDENT}attempt ${data.attempt} is void: ${messageOf(data.error)}; it is called again`]
		case 'tool.started':
			return [`  tool   ${data.name} ${short(data.input)}`]
		case 'tool.completed':
			return [
				`${INDENT}${data.ok ? '→' : '✗'} ${short(data.output ?? messageOf(data.error))}${ms(data)}`,
				...stack(data),
			]
		case 'http.started':
			return [`  http   ${data.method} ${data.url}`]
		case 'http.completed':
			return [data.error ? failed(data) : `${INDENT}→ ${data.status}, ${data.bytes} bytes${ms(data)}`]
		case 'log':
			return [
				`  log    ${data.level}: ${data.message}${data.data === undefined ? '' : ` ${short(data.data)}`}`,
				...stack(data),
			]
		case 'memory.changed':
			return [`  memory ${data.path}${data.deleted ? ' deleted' : ''}`]
		case 'approval.requested':
			return [`  asks   ${data.question} ${short(data.arguments)}`]
		case 'approval.decided':
			return [`${INDENT}${data.decision === 'approve' ? 'approved' : 'denied'}`]
		case 'run.waiting':
			return ['  waits  for a decision, in the console']
		case 'run.completed':
			return ['✔ succeeded']
		case 'run.failed':
		case 'run.cancelled':
			return [`✖ ${messageOf(data.error)}`, ...stack(data)]
		default:
			return []
	}
}

function searched({ searches }: Data): string[] {
	const all = (Array.isArray(searches) ? searches : []) as { query?: string; url?: string; error?: string }[]
	return all.map(
		({ query, url, error }) => `${INDENT}web    ${short(query ?? url ?? '')}${error ? ` ✗ ${error}` : ''}`,
	)
}

function sources({ citations }: Data): string[] {
	const all = (Array.isArray(citations) ? citations : []) as {
		url?: string
		file?: string
		title: string | null
	}[]
	const names = new Set(
		all.map(({ url, file, title }) => (title ? `${title} (${url ?? file})` : (url ?? file))),
	)
	return [...names].map((name) => `${INDENT}source ${name}`)
}

const failed = (data: Data) => `${INDENT}✗ ${messageOf(data.error)}${ms(data)}`
const body = (text: string) => INDENT + text.replaceAll('\n', `\n${INDENT}`)

function messageOf(error: unknown): string {
	const { code, message } = (error ?? {}) as { code?: string; message?: string }
	return code === undefined ? String(message ?? '') : `${code}: ${message}`
}

function tokens({ usage }: Data): string {
	const { input_tokens, output_tokens } = (usage ?? {}) as Record<string, number>
	return input_tokens === undefined ? '' : `${input_tokens} + ${output_tokens} tokens`
}

const ms = ({ duration_ms }: Data) =>
	typeof duration_ms === 'number' ? ` (${Math.round(duration_ms)} ms)` : ''

const stack = ({ stack }: Data) => (typeof stack === 'string' ? [body(stack)] : [])

function short(value: unknown): string {
	const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
	const line = text.replaceAll('\n', ' ⏎ ')
	return line.length <= VALUE_CHARS ? line : `${line.slice(0, VALUE_CHARS)}… (${text.length} characters)`
}
