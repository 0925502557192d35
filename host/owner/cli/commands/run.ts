import type { Command } from 'commander'
import {
	ApiError,
	type Client,
	type Deployment,
	ModelCall,
	ModelRetrying,
	type Run,
	type RunEvent,
} from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { withFiles } from '../files.ts'
import { type InputOptions, inputsOf } from '../inputs.ts'
import type { Io } from '../io.ts'
import { findDeployment, session } from '../session.ts'
import { requestLines } from './request.ts'

interface Options extends InputOptions {
	stream?: boolean
	async?: boolean
	idempotencyKey?: string
}

export function runCommand(program: Command): void {
	command(program, 'run <name>', 'run an agent and wait for its output')
		.option('-i, --input <name=value...>', "an input; JSON unless the agent's schema says text")
		.option('--inputs <json>', 'all inputs as one JSON object; @FILE reads a file, - stdin')
		.option('-f, --file <name=path...>', 'a file for an input of type file')
		.option('--stream', 'show the events while they happen')
		.option('--async', 'start it and do not wait')
		.option('--idempotency-key <key>', 'the same key gives the same run')
		.action(
			does<Options>(async (io, options, name) => {
				if (options.stream && options.async) throw new UsageError('--stream and --async exclude each other')
				const client = session(io)
				const deployment = await findDeployment(client, name)
				const given = inputsOf(options, deployment)
				const inputs = await withFiles(client, deployment, given, options.file)
				const { idempotencyKey } = options
				if (options.stream) return stream(io, client.runs.stream(deployment.url, inputs, { idempotencyKey }))
				io.progress(`Running ${deployment.name} …`)
				const run = options.async
					? await client.runs.runAsync(deployment.url, inputs, { idempotencyKey })
					: await waited(client, deployment, inputs, idempotencyKey)
				tellRun(io, run)
			}),
		)
}

/** A run that failed answers a problem that holds it. */
async function waited(
	client: Client,
	{ url }: Deployment,
	inputs: object,
	idempotencyKey?: string,
): Promise<Run> {
	try {
		return await client.runs.run(url, inputs, { idempotencyKey })
	} catch (error) {
		const run = error instanceof ApiError ? (error.problem.run as Run | undefined) : undefined
		if (!run) throw error
		return run
	}
}

export function tellRun(io: Io, run: Run): void {
	const { id, status, output, error, usage } = run
	if (status === 'failed' || status === 'cancelled') {
		process.exitCode = 1
		io.note(`berth: ${id} ${status}: ${error?.message ?? ''} (${error?.code ?? status})`)
		if (io.json) io.result(run, '')
		return
	}
	if (status !== 'succeeded') {
		io.result(run, `${id} is ${status}; follow it with: berth events ${id} --follow`)
		return
	}
	// On a terminal only, unless there is something that the output hides.
	const tell = usage.failed_tool_calls > 0 ? io.note : io.progress
	tell(
		`${id}: ${usage.model_calls} model calls, ${toolCalls(usage)}${httpCalls(usage)}${searches(usage)}, ${usage.input_tokens + usage.output_tokens} tokens${agents(usage)}`,
	)
	io.result(run, typeof output === 'string' ? output : JSON.stringify(output, null, 2))
	if (!io.json) for (const line of sourceLines(run)) io.note(line)
}

/** Each once and in one line. They go where notes go: a pipe gets the output alone. */
function sourceLines({ citations = [] }: Run): string[] {
	const sources = new Map(citations.map(({ url, file, title }) => [url ?? file ?? '', title]))
	if (sources.size === 0) return []
	return [
		'Sources:',
		...[...sources].map(([name, title]) => `  ${inOneLine(title ? `${title}: ${name}` : name)}`),
	]
}

/** A title is whatever its page says. */
const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

function toolCalls({ tool_calls, failed_tool_calls }: Run['usage']): string {
	return `${tool_calls} tool calls${failed_tool_calls > 0 ? ` (${failed_tool_calls} failed)` : ''}`
}

const searches = ({ web_searches }: Run['usage']) =>
	web_searches > 0 ? `, ${web_searches} web searches` : ''

const httpCalls = ({ http_calls }: Run['usage']) => (http_calls > 0 ? `, ${http_calls} requests` : '')

const agents = ({ agents }: Run['usage']) => (agents ? `, ${agents.tokens} by agents that it called` : '')

/** Events as they come; with `--json` one document a line, as they cannot be one that has not ended. */
export async function stream(io: Io, events: AsyncIterable<RunEvent>): Promise<void> {
	for await (const event of events) {
		io.line(event, eventLine(event))
		if (event.type === 'run.failed' || event.type === 'run.cancelled') process.exitCode = 1
	}
}

/** A stack trace, and what a model was sent, stand below their event. */
export function eventLine({ at, seq, type, data: { stack, request, ...data } }: RunEvent): string {
	const text = type === 'model.retrying' ? retryText(data) : JSON.stringify(data)
	const lines = [`${at}  ${String(seq).padStart(3)}  ${type.padEnd(16)} ${text}`]
	if (typeof stack === 'string') lines.push(stack.replace(/^/gm, '      '))
	const sent = ModelCall.safeParse(request)
	if (sent.success) lines.push(requestLines(sent.data))
	return lines.join('\n')
}

function retryText(data: RunEvent['data']): string {
	const { call, attempt, error, delay_ms, next } = ModelRetrying.parse(data)
	const then = next
		? `${next.provider} ${next.model} is asked instead`
		: `the next begins in ${(delay_ms / 1000).toFixed(1)} s`
	return `attempt ${attempt} at call ${call} is void (${error.code}: ${error.message}); ${then}`
}
