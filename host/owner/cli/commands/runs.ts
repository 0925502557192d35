import { type Command, Option } from 'commander'
import { type AccountRun, type Client, isTerminal, type RunEvent, runStatuses } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { type PageOptions, paged, tellList, tellListAs } from '../list.ts'
import { findDeployment, findRun, session } from '../session.ts'
import { since, sinceHelp } from '../time.ts'
import { eventLine, stream } from './run.ts'

export function runsCommand(program: Command): void {
	paged(command(program, 'runs [name]', 'runs of a deployment, newest first; without a name, of all of them'))
		.addOption(
			new Option('--status <status>', 'live: queued, running or waiting (default: all)').choices([
				...runStatuses,
				'live',
				'all',
			]),
		)
		.addOption(new Option('--failed', 'the same as --status failed').conflicts('status'))
		.option('--refused', 'calls that were refused before there was a run, of 7 days, by code and hour')
		.option('--since <time>', `accepted then or later: ${sinceHelp}`, since)
		.action(
			does<PageOptions & Filter>(async (io, { failed, refused, since, limit, cursor, ...given }, name) => {
				if (refused) return tellRefused(io, name, [failed, since, limit, cursor, given.status])
				const client = session(io)
				const status = failed ? 'failed' : (given.status ?? 'all')
				if (name === undefined || since !== undefined) {
					const deployment = name === undefined ? undefined : (await findDeployment(client, name)).id
					const query = { status, deployment, since, limit, cursor }
					return tellOfAll(io, await client.runs.all(query))
				}
				const { url } = await findDeployment(client, name)
				const own = { status: status === 'all' ? undefined : status, limit, cursor }
				tellList(io, await client.runs.list(url, own), {
					none: 'No runs.',
					head: ['RUN', 'STATUS', 'VERSION', 'CREATED', 'USED', ''],
					row: ({ id, status, version, created_at, error, usage }) => [
						id,
						status,
						`v${version}`,
						created_at,
						`${usage.input_tokens + usage.output_tokens} tokens`,
						[whyOf(error), failedTools(usage.failed_tool_calls)].filter(Boolean).join(', '),
					],
				})
			}),
		)
}

const whyOf = (error: AccountRun['error']) => (error ? `${error.code}: ${error.message}` : '')

const failedTools = (n: number) => (n > 0 ? counted(n, 'failed tool call') : '')

interface Filter {
	status?: string
	failed?: boolean
	refused?: boolean
	since?: string
}

function tellOfAll(io: Io, page: Awaited<ReturnType<Client['runs']['all']>>): void {
	tellList(io, page, {
		none: 'No runs.',
		head: ['RUN', 'DEPLOYMENT', 'STATUS', 'VERSION', 'CREATED', ''],
		row: ({ id, deployment_name, status, version, created_at, error }) => [
			id,
			deployment_name,
			status,
			`v${version}`,
			created_at,
			whyOf(error),
		],
	})
}

async function tellRefused(io: Io, name: string | undefined, others: unknown[]): Promise<void> {
	if (name === undefined) throw new UsageError('--refused takes the name of a deployment')
	if (others.some((other) => other !== undefined)) throw new UsageError('--refused takes no other option')
	const client = session(io)
	const { id } = await findDeployment(client, name)
	tellList(io, await client.deployments.refusals(id), {
		none: 'No refused calls in 7 days.',
		head: ['HOUR', 'CALLS', 'CODE', 'LAST', ''],
		row: ({ hour, count, code, last_at, detail }) => [
			`${hour.slice(0, 16)}Z`,
			String(count),
			code,
			last_at,
			detail,
		],
	})
}

interface Events {
	follow?: boolean
	full?: boolean
	deployment?: string
}

export function eventsCommand(program: Command): void {
	command(program, 'events <run>', 'what happened in a run')
		.option('--follow', 'go on until the run ends')
		.option('--full', 'with what the model was sent: system prompt, messages, tools')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<Events>(async (io, { follow, full, deployment }, run) => {
				if (follow && full) throw new UsageError('give --follow or --full, not both')
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				if (follow) return stream(io, client.runs.follow(url, run))
				const events = await soFar(client, url, run, full)
				tellListAs(io, { data: events }, () => events.map(eventLine).join('\n'))
			}),
		)
}

/** What has happened until now: the stream of a live run falls silent there, that of an ended one ends. */
async function soFar(client: Client, url: string, run: string, full = false): Promise<RunEvent[]> {
	const stop = new AbortController()
	// A replay, which `full` waits for, has its own end.
	const silence = setTimeout(() => stop.abort(), full ? REPLAY_MS : SILENCE_MS)
	const events: RunEvent[] = []
	try {
		for await (const event of client.runs.events(url, run, { full, signal: stop.signal })) {
			silence.refresh()
			events.push(event)
			if (isTerminal(event)) break
		}
	} catch (error) {
		if (!stop.signal.aborted) throw error
	} finally {
		clearTimeout(silence)
	}
	return events
}

const SILENCE_MS = 2000
const REPLAY_MS = 150_000

export function cancelCommand(program: Command): void {
	command(program, 'cancel <run>', 'cancel a run; its provider call is stopped')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<{ deployment?: string }>(async (io, { deployment }, run) => {
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				const cancelled = await client.runs.cancel(url, run)
				io.result(cancelled, `${cancelled.id} is ${cancelled.status}`)
			}),
		)
}
