import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { RunEvent } from '../../client/index.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'
import { session } from '../session.ts'
import { comparable, keepFiles } from './kept-files.ts'
import type { RecordedRun } from './recorded.ts'

/** Writes a succeeded run of a deployment as `cases/RUN.json`: its inputs, what model and connectors answered, its output. */
export async function keepRun(io: Io, directory: string, id: string): Promise<void> {
	const folder = resolve(directory)
	if (!existsSync(join(folder, 'agent.yaml'))) throw new CommandError(`there is no agent.yaml in ${folder}`)
	const client = session(io)
	const { deployment_url, status, inputs, output } = await client.runs.one(id)
	if (status !== 'succeeded')
		throw new CommandError(`${id} is ${status}; only a run that succeeded can be kept as a test`)
	const events: RunEvent[] = []
	for await (const event of client.runs.events(deployment_url, id, { full: true })) events.push(event)
	const answers = answersOf(events)
	const file = join(folder, 'cases', `${id}.json`)
	mkdirSync(join(folder, 'cases'), { recursive: true })
	const given = await keepFiles(
		inputs,
		file,
		async (one) => new Uint8Array(await (await client.files.download(deployment_url, one)).arrayBuffer()),
	)
	const kept: RecordedRun = { run: id, inputs: given, ...answers, output: comparable(output) }
	writeFileSync(file, `${JSON.stringify(kept, null, '\t')}\n`)
	io.result(
		{ file, ...kept },
		`${file}\nIt holds the inputs and answers of the run as they were. Run it: berth test`,
	)
}

interface Message {
	role: string
	content: string
	tool_calls?: { id: string; name: string; input: unknown }[]
}

/** What the model, the connectors and the owner answered, in order. */
export function answersOf(events: RunEvent[]): Pick<RecordedRun, 'model' | 'tools' | 'http' | 'approvals'> {
	const of = (type: string) => events.filter((event) => event.type === type)
	for (const { data } of events)
		if (data.truncated)
			throw new CommandError(
				`the run has an answer of over 16 Ki characters, which its events do not hold whole`,
			)
	const completed = new Map(of('model.completed').map(({ data }) => [data.call, data]))
	/** A crash begins a call without an answer again, as another attempt of the same call. */
	const begun = (type: string) => [...new Map(of(type).map((event) => [event.data.call, event])).values()]
	const asked = begun('model.started').map(({ data }) => ({
		call: data.call,
		messages: ((data.request as { messages?: Message[] } | null)?.messages ?? []) as Message[],
	}))
	const model = asked.map(({ call, messages }) => {
		const { text, stop, error, citations } = (completed.get(call) ?? {}) as {
			text?: string
			citations?: object[]
			stop?: string
			error?: object
		}
		if (error) return { error } as never
		return {
			...(text && { text }),
			...callsOf(stop, messages, asked),
			...(citations && { citations }),
			stop,
		} as never
	})
	const ended = new Map(of('tool.completed').map(({ data }) => [data.call, data]))
	const tools: RecordedRun['tools'] = {}
	for (const { data } of begun('tool.started')) {
		const { ok, output } = (ended.get(data.call) ?? {}) as { ok?: boolean; output?: string }
		// A tool of tools.ts is run again.
		if (data.connector && ended.get(data.call)?.files)
			throw new CommandError(
				`${data.name} has answered with files, which a case does not keep: write a test of your own`,
			)
		if (typeof data.connector !== 'string' || output === undefined) continue
		tools[String(data.name)] = [...(tools[String(data.name)] ?? []), { ok: ok === true, output }]
	}
	const http = of('http.completed').map(({ data }) => {
		if (typeof data.status !== 'number')
			throw new CommandError('a request of the run has no response, so it cannot be kept as a test')
		return { status: data.status, text: String(data.body ?? '') }
	})
	const approvals = of('approval.decided').map(({ data }) => ({
		approved: data.decision === 'approve',
		note: typeof data.note === 'string' ? data.note : null,
	}))
	return { model, tools, http, approvals }
}

/** Those that the model asked for stand in the next request of the same conversation. */
function callsOf(stop: string | undefined, messages: Message[], asked: { messages: Message[] }[]) {
	if (stop !== 'tool_calls') return undefined
	const start = JSON.stringify(messages)
	const next = asked.find(
		(later) =>
			later.messages.length > messages.length &&
			JSON.stringify(later.messages.slice(0, messages.length)) === start,
	)
	const calls = next?.messages[messages.length]?.tool_calls
	if (!calls)
		throw new CommandError(
			'the run does not tell which tools the model asked for, so it cannot be kept as a test',
		)
	return { calls: calls.map(({ id, name, input }) => ({ id, name, input })) }
}
