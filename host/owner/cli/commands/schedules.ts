import type { Command } from 'commander'
import type { Client, Deployment, Schedule } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { type InputOptions, inputsOf } from '../inputs.ts'
import type { Io } from '../io.ts'
import { tellList } from '../list.ts'
import { findDeployment, session } from '../session.ts'

interface Options extends InputOptions {
	cron?: string
	timezone?: string
	missed?: string
}

interface Context {
	io: Io
	client: Client
	deployment: Deployment
	id: string | undefined
	options: Options
}

const actions = {
	add,
	list,
	remove,
	pause: (context: Context) => enable(context, false),
	resume: (context: Context) => enable(context, true),
}

export function schedulesCommand(program: Command): void {
	command(program, 'schedules <name> <action> [id]', 'runs by the clock', actions)
		.option('--cron <fields>', 'with add: minute, hour, day of month, month, day of week')
		.option('--timezone <zone>', 'with add: IANA name, as in Europe/Berlin (default: UTC)')
		.option('--missed <policy>', 'with add: skip, or run_once for times that nobody could fire')
		.option('-i, --input <name=value...>', 'with add: an input of its runs')
		.option('--inputs <json>', 'with add: all inputs as one JSON object; @FILE reads a file, - stdin')
		.addHelpText('after', '\n  add --cron "0 9 * * 1-5" · list · remove ID · pause ID · resume ID')
		.action(
			does<Options>(async (io, options, name, action, id) => {
				const client = session(io)
				await actions[action as keyof typeof actions]({
					io,
					client,
					deployment: await findDeployment(client, name),
					id,
					options,
				})
			}),
		)
}

async function add({ io, client, deployment, options }: Context): Promise<void> {
	const { cron, timezone, missed } = options
	if (cron?.trim().split(/\s+/).length !== 5)
		throw new UsageError('schedules add takes --cron "MINUTE HOUR DAY MONTH WEEKDAY"')
	if (missed !== undefined && missed !== 'skip' && missed !== 'run_once')
		throw new UsageError('--missed takes skip or run_once')
	const schedule = await client.schedules.add(deployment.id, {
		cron,
		timezone,
		missed,
		inputs: inputsOf(options, deployment),
	})
	tell(io, schedule)
}

async function list({ io, client, deployment }: Context): Promise<void> {
	tellList(io, await client.schedules.list(deployment.id), {
		none: 'No schedules.',
		head: ['ID', 'CRON', 'ZONE', 'NEXT', 'LAST'],
		row: ({ id, cron, timezone, enabled, next_times, last_run, last_error }) => [
			id,
			cron,
			timezone,
			enabled ? (next_times[0] ?? 'never') : 'paused',
			last_error ? `${last_error.code}: ${last_error.message}` : (last_run ?? ''),
		],
	})
}

async function remove(context: Context): Promise<void> {
	const id = idOf(context, 'remove')
	await context.client.schedules.remove(context.deployment.id, id)
	context.io.result({ id, deleted: true }, `${id} is removed`)
}

async function enable(context: Context, enabled: boolean): Promise<void> {
	const id = idOf(context, enabled ? 'resume' : 'pause')
	tell(context.io, await context.client.schedules.patch(context.deployment.id, id, { enabled }))
}

function idOf({ id }: Context, action: string): string {
	if (!id) throw new UsageError(`schedules ${action} takes the id of a schedule`)
	return id
}

function tell(io: Io, schedule: Schedule): void {
	const { id, cron, timezone, next_times } = schedule
	const times = next_times.length === 0 ? ['  paused'] : next_times.map((at) => `  ${at}`)
	io.result(schedule, [`${id}  ${cron} (${timezone}), next:`, ...times].join('\n'))
}
