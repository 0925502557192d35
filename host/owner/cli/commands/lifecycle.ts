import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { UsageError } from '../failure.ts'
import { findDeployment, session } from '../session.ts'
import { duration } from '../time.ts'

export function startCommand(program: Command): void {
	command(program, 'start <name>', 'start a stopped deployment').action(
		does(async (io, _options, name) => {
			const client = session(io)
			const started = await client.deployments.start((await findDeployment(client, name)).id)
			const key = started.run_key ? `\nRun key (shown this once): ${started.run_key}` : ''
			io.result(started, `${started.name} is ${started.state} at ${started.url}${key}`)
		}),
	)
}

export function stopCommand(program: Command): void {
	command(program, 'stop <name>', 'stop a deployment; runs in flight may finish')
		.option(
			'--drain <time>',
			'how long runs in flight may take before they are cancelled: seconds, or 5m',
			duration(3600),
			30,
		)
		.action(
			does<{ drain: number }>(async (io, { drain }, name) => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				if (deployment.state === 'creating' || deployment.state === 'failed') {
					const cancelled = await client.deployments.cancel(deployment.id)
					return io.result(cancelled, `${cancelled.name} is ${cancelled.state}`)
				}
				io.progress(`Stopping ${deployment.name} …`)
				const stopped = await client.deployments.stop(deployment.id, drain)
				const { in_flight, cancelled } = stopped
				io.result(
					stopped,
					`${stopped.name} is ${stopped.state}; it had ${counted(in_flight.length, 'run')} in flight, of which ${cancelled.length} ended as cancelled`,
				)
			}),
		)
}

export function deleteCommand(program: Command): void {
	command(program, 'delete <name>', 'stop a deployment and erase its keys and credentials')
		.option('-y, --yes', 'do not ask; needed where there is no terminal, and with --json')
		.action(
			does<{ yes?: boolean }>(async (io, { yes }, name) => {
				if (!yes && !io.interactive)
					throw new UsageError(`nobody can be asked here: berth delete ${name} --yes deletes it for good`)
				const client = session(io)
				const { id, url, ...deployment } = await findDeployment(client, name)
				if (!yes && !(await io.confirm(`Delete ${deployment.name} for good?`))) return io.note('Kept.')
				await client.deployments.remove(id)
				io.result({ id, name: deployment.name, url, deleted: true }, `${deployment.name} is deleted`)
			}),
		)
}
