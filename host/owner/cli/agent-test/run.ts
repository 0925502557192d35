import type {
	Asked,
	Call,
	Decision,
	RunEvent,
	RunOptions,
	RunResult,
	Turn,
} from '../../../../bundles/types/test.d.ts'
import { builtAgent } from './agent.ts'
import { type Entry, type HttpRequest, type Trial, trial } from './engine.ts'
import { givenFiles } from './files.ts'
import { agentFolder, callerFile } from './folder.ts'
import { scriptedTools } from './tools.ts'

/** A run that failed. */
class RunFailed extends Error {
	override name = 'RunError'
	readonly code: string
	readonly run: Omit<RunResult, 'output'>
	constructor(code: string, message: string, run: Omit<RunResult, 'output'>) {
		super(message)
		this.code = code
		this.run = run
	}
}

export async function run(inputs: unknown, options: RunOptions): Promise<RunResult> {
	if (typeof options?.model !== 'function')
		throw new TypeError("run needs a model: run(inputs, { model: script(['…']) })")
	const { model, tools, approve } = options
	const built = await builtAgent(agentFolder(options.agent, callerFile()))
	const given = givenFiles(built.agent, inputs)
	const ended = await trial({
		digest: built.digest,
		bundle: built.bytes,
		inputs: await built.inputs(given.inputs),
		files: given.files,
		memory: options.memory ?? built.memory,
		model: async (request, call) => asTurn(await model(request as never, call)),
		...scriptedTools(built.agent, tools ?? {}),
		embed: async (texts) => embedded(texts, options.embed),
		http: (request) => answered(request, options.http),
		approve: (asked) => decisionOn(asked as Asked, approve),
	})
	return resultOf(ended)
}

const asTurn = (turn: Turn) => (typeof turn === 'string' ? { text: turn } : turn)

function embedded(texts: string[], embed: RunOptions['embed']) {
	if (embed) return embed(texts)
	throw new Error(
		`the agent embeds ${texts.length} texts; say what their vectors are: run(inputs, { embed: (texts) => texts.map(() => [1]) })`,
	)
}

async function answered(request: HttpRequest, http: RunOptions['http']) {
	if (!http)
		throw new Error(
			`the agent sends ${request.method} ${request.url}; say what is answered: run(inputs, { http: () => ({ json: … }) })`,
		)
	const { status = 200, headers = {}, text, json } = await http(request)
	const type = { 'content-type': json === undefined ? 'text/plain; charset=utf-8' : 'application/json' }
	return {
		status,
		headers: { ...type, ...headers },
		body: json === undefined ? (text ?? '') : JSON.stringify(json),
	}
}

async function decisionOn(asked: Asked, approve: RunOptions['approve']) {
	if (approve === undefined)
		throw new Error(
			`the agent asks "${asked.question}" with ${JSON.stringify(asked.arguments)}; say what a person decides: run(inputs, { approve: true })`,
		)
	const decision: Decision = typeof approve === 'function' ? await approve(asked) : approve
	return typeof decision === 'boolean' ? { approved: decision, note: null } : { note: null, ...decision }
}

function resultOf({ outcome, usage, entries, requests, memory, files }: Trial): RunResult {
	const events = entries.filter(({ type }) => !type.startsWith('effect.')).map(shown)
	const result = {
		calls: callsOf(events),
		requests: requests as RunResult['requests'],
		events,
		logs: events.filter(({ type }) => type === 'log').map(({ data }) => data as RunResult['logs'][number]),
		memory,
		files,
		usage: usage as unknown as RunResult['usage'],
	}
	if (outcome.status === 'succeeded') return { output: JSON.parse(outcome.output ?? 'null'), ...result }
	const { code = 'cancelled', message = '' } = outcome.error ?? {}
	const stack = events.find(({ type }) => type === 'run.failed')?.data.stack
	throw new RunFailed(code, `${message} (${code})${stack ? `\n${stack}` : ''}`, result)
}

const shown = ({ seq, at, type, data }: Entry): RunEvent => ({ seq, at, type, data })

/** `call` joins the two events of one. */
function callsOf(events: RunEvent[]): Call[] {
	const ended = new Map(
		events.filter(({ type }) => type === 'tool.completed').map(({ data }) => [data.call, data]),
	)
	return events
		.filter(({ type }) => type === 'tool.started')
		.map(({ data: { call, name, input } }) => {
			const { ok = false, output } = (ended.get(call) ?? {}) as { ok?: boolean; output?: string }
			return { name: String(name), input, ok, ...(output !== undefined && { output }) }
		})
}
