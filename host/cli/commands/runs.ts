import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { table } from '../io.ts'
import { findDeployment, findRun, session } from '../session.ts'
import { stream } from './run.ts'

const TERMINAL = ['run.completed', 'run.failed', 'run.cancelled']

export function runsCommand(program: Command): void {
	command(program, 'runs <name>', 'runs of a deployment, newest first')
		.option('--status <status>', 'queued, running, waiting, succeeded, failed, cancelled or live')
		.option('--limit <n>', 'how many', '20')
		.action(
			does<{ status?: string; limit: string }>(async (io, { status, limit }, name) => {
				const client = session(io)
				const { url } = await findDeployment(client, name)
				const page = await client.runs.list(url, { status, limit: Number(limit) })
				const rows = page.data.map(({ id, status, version, created_at, error, usage }) => [
					id,
					status,
					`v${version}`,
					created_at,
					`${usage.input_tokens + usage.output_tokens} tokens`,
					error?.code ?? '',
				])
				io.result(
					page,
					rows.length === 0
						? 'No runs.'
						: table([['RUN', 'STATUS', 'VERSION', 'CREATED', 'USED', ''], ...rows]),
				)
			}),
		)
}

export function eventsCommand(program: Command): void {
	command(program, 'events <run>', 'what happened in a run')
		.option('--follow', 'go on until the run ends')
		.option('--deployment <name>', 'whose run it is (saves looking for it)')
		.action(
			does<{ follow?: boolean; deployment?: string }>(async (io, { follow, deployment }, run) => {
				const client = session(io)
				const { url } = await findRun(client, run, deployment)
				const { status } = await client.runs.get(url, run)
				const live = !['succeeded', 'failed', 'cancelled'].includes(status)
				const stop = new AbortController()
				const events = client.runs.events(url, run, { signal: stop.signal })
				// Without --follow a live run is shown as far as it is: the stream falls silent there.
				const idle = live && !follow ? setTimeout(() => stop.abort(), SILENCE_MS) : undefined
				try {
					await stream(
						io,
						(async function* () {
							for await (const event of events) {
								idle?.refresh()
								yield event
								if (TERMINAL.includes(event.type)) return
							}
						})(),
					)
				} catch (error) {
					if (!stop.signal.aborted) throw error
				} finally {
					clearTimeout(idle)
				}
			}),
		)
}

const SILENCE_MS = 500

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
