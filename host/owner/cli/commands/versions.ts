import type { Command } from 'commander'
import type { ActivatedDeployment } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { tellList } from '../list.ts'
import { findDeployment, session } from '../session.ts'
import { withoutTypes } from './bundle.ts'
import { loadBundle, searchLines, tellDryRun, unfitLines } from './deploy.ts'

interface Update {
	types: boolean
	dryRun?: boolean
}

export function updateCommand(program: Command): void {
	command(program, 'update <name> [agent]', 'give a deployment a new version of its agent')
		.option('--dry-run', 'check everything that can be checked, change nothing')
		.option(...withoutTypes)
		.action(
			does<Update>(async (io, options, name, agent = '.') => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				const bundle = await loadBundle(io, agent, options)
				if (options.dryRun) {
					io.step(`Checking ${bundle.fileName} with ${client.baseUrl} …`)
					return tellDryRun(io, await client.deployments.dryVersion(deployment.id, bundle))
				}
				io.step(`Uploading ${bundle.fileName} …`)
				const updated = await client.deployments.addVersion(deployment.id, bundle)
				tellLacking(io, updated)
				const same = updated.version === deployment.version
				if (!same) for (const line of searchLines(updated.agent)) io.note(line)
				io.result(
					updated,
					`${same ? 'Nothing has changed: ' : ''}${updated.name} is at version ${updated.version} (${updated.agent.digest.slice(0, 12)}, commit ${updated.agent.commit.slice(0, 7)})`,
				)
			}),
		)
}

/** What keeps runs of the version from beginning. */
function tellLacking(io: Io, { name, credentials, unfit_schedules }: ActivatedDeployment): void {
	for (const { name: credential, kind, state, needed_by } of credentials) {
		if (state !== 'missing') continue
		const how = kind === 'oauth' ? `connect ${name}` : `credentials ${name} --set`
		io.note(`${credential} is missing for ${needed_by}: berth ${how}`)
	}
	for (const line of unfitLines(unfit_schedules)) io.note(line)
}

export function rollbackCommand(program: Command): void {
	command(program, 'rollback <name>', 'go back to the version before, or to the one named')
		.option('--to <version>', 'number of the version')
		.action(
			does<{ to?: string }>(async (io, { to }, name) => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				if (to !== undefined && !/^[1-9]\d{0,8}$/.test(to))
					throw new UsageError('--to takes the number of a version')
				const target = to === undefined ? await before(deployment) : Number(to)
				const active = await client.deployments.activate(deployment.id, target)
				tellLacking(io, active)
				io.result(
					active,
					`${active.name} is at version ${active.version} (commit ${active.agent.commit.slice(0, 7)})`,
				)

				async function before({ id, version, name }: typeof deployment): Promise<number> {
					const { data } = await client.deployments.versions(id)
					const older = data.map((candidate) => candidate.version).filter((candidate) => candidate < version)
					if (older.length === 0) throw new CommandError(`${name} has no version before ${version}`)
					return Math.max(...older)
				}
			}),
		)
}

export function versionsCommand(program: Command): void {
	command(program, 'versions <name>', 'versions of a deployment, and which one is active').action(
		does(async (io, _options, name) => {
			const client = session(io)
			const { id } = await findDeployment(client, name)
			tellList(io, await client.deployments.versions(id), {
				none: 'No versions.',
				head: ['VERSION', 'CREATED', 'COMMIT', 'DIGEST', ''],
				row: ({ version, created_at, agent, active }) => [
					`v${version}`,
					created_at,
					agent.commit.slice(0, 7),
					agent.digest.slice(0, 12),
					active ? 'active' : '',
				],
			})
		}),
	)
}
