import type { Command } from 'commander'
import {
	type Client,
	type Deployment,
	ModelCall,
	ModelRetrying,
	type Run,
	type RunEvent,
} from '../../client/index.ts'
import { awaitRun, eventsOf } from '../await-run.ts'
import { beginRun } from '../begin-run.ts'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { UsageError } from '../failure.ts'
import { withFiles } from '../files.ts'
import { type InputOptions, inputsOf } from '../inputs.ts'
import { Interrupted, watchInterrupts } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { findDeployment, session } from '../session.ts'
import { requestLines } from './request.ts'

interface Options extends InputOptions {
	stream?: boolean
	async?: boolean
	idempotencyKey?: string
}

export function runCommand(program: Command): void {
	command(program, 'run <name>', 'run an agent and wait for its output; Ctrl-C ends the waiting, not the run')
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
				if (!options.stream) io.progress(`Running ${deployment.name} …`)
				await begunOnce(io, { client, deployment, inputs, idempotencyKey }, async (run) => {
					if (options.async) return tellRun(io, { run })
					const begun = { client, url: deployment.url, run: run.id }
					if (options.stream) return stream(io, eventsOf(io, begun))
					tellRun(io, await awaitRun(io, begun))
				})
			}),
		)
}

interface Begun {
	client: Client
	deployment: Deployment
	inputs: object
	idempotencyKey: string | undefined
}

/** Ctrl-C ends the command alone, and the command says so. */
async function begunOnce(
	io: Io,
	{ client, deployment, inputs, idempotencyKey }: Begun,
	then: (run: Run) => Promise<void> | void,
): Promise<void> {
	const interrupts = watchInterrupts()
	let id: string | undefined
	try {
		const run = await interrupts.race(beginRun(io, client, deployment, { inputs, idempotencyKey }))
		id = run.id
		await interrupts.race(Promise.resolve(then(run)))
	} catch (error) {
		if (!(error instanceof Interrupted)) throw error
		throw new Interrupted(
			id
				? `stopped; ${id} goes on. Stop it: berth cancel ${id}. Look: berth events ${id}`
				: `stopped; a run may have begun: berth runs ${deployment.name}`,
		)
	} finally {
		interrupts.close()
	}
}

function tellRun(io: Io, { run, stack }: { run: Run; stack?: string | undefined }): void {
	const { id, status, output, error, usage } = run
	if (status === 'failed' || status === 'cancelled') {
		process.exitCode = 1
		io.note(`berth: ${id} ${status}: ${error?.message ?? ''} (${error?.code ?? status})`)
		const place = stack && placeIn(stack)
		if (place) io.note(`  at ${place}`)
		io.note(`  see: berth events ${id}`)
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
		`${id}: ${counted(usage.model_calls, 'model call')}, ${toolCalls(usage)}${httpCalls(usage)}${searches(usage)}, ${usage.input_tokens + usage.output_tokens} tokens${agents(usage)}`,
	)
	io.result(run, typeof output === 'string' ? output : JSON.stringify(output, null, 2))
	if (!io.json) for (const line of sourceLines(run)) io.note(line)
}

/** Of the owner's files; a package's only where there is no other. */
function placeIn(stack: string): string | undefined {
	const places = Array.from(stack.matchAll(/^\s+at (?:.*\()?([^()\s]+:\d+:\d+)\)?$/gm), ([, place]) => place)
	return places.find((place) => !place?.startsWith('node_modules/')) ?? places[0]
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
	return `${counted(tool_calls, 'tool call')}${failed_tool_calls > 0 ? ` (${failed_tool_calls} failed)` : ''}`
}

const searches = ({ web_searches }: Run['usage']) =>
	web_searches > 0 ? `, ${counted(web_searches, 'web search', 'web searches')}` : ''

const httpCalls = ({ http_calls }: Run['usage']) =>
	http_calls > 0 ? `, ${counted(http_calls, 'request')}` : ''

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
