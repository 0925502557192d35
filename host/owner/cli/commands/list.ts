import type { Command } from 'commander'
import type { Activity, Client, Deployment, DeploymentWithActivity } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { type PageOptions, paged, tellList } from '../list.ts'
import { session } from '../session.ts'

export function listCommand(program: Command): void {
	paged(
		command(program, 'list', 'your deployments (all of them, unless --limit or --cursor is given)'),
	).action(
		does<PageOptions>(async (io, { limit, cursor }) => {
			const { deployments } = session(io)
			const some = limit !== undefined || cursor !== undefined
			const page = some ? await deployments.list({ limit, cursor }) : { data: await all(deployments) }
			tellList(io, page, {
				none: 'No deployments yet.',
				head: ['NAME', 'STATE', 'LAST RUN', '24 H', 'REFUSED', 'NEEDS', 'VERSION', 'AGENT', 'URL'],
				row: ({ name, version, agent, url, activity, credentials, ...its }) => [
					name,
					stateOf(its),
					lastRun(activity),
					counts(activity),
					String(activity.refused_24h || '-'),
					needs(credentials),
					`v${version}`,
					agent.name,
					url,
				],
			})
		}),
	)
}

/** Where no host is alive its state is what it will be, not what it does. */
const stateOf = ({ state, state_reason, place, place_alive }: StateParts) =>
	state + (place_alive ? (state_reason ? ` (${state_reason})` : '') : ` (no host of ${place} is alive)`)

type StateParts = Pick<Deployment, 'state' | 'state_reason' | 'place' | 'place_alive'>

const lastRun = ({ last_run }: Activity) =>
	last_run ? `${last_run.error ?? last_run.status} ${last_run.created_at.slice(0, 16)}Z` : '-'

const counts = ({ runs_24h, failed_24h }: Activity) =>
	failed_24h > 0 ? `${runs_24h} (${failed_24h} failed)` : String(runs_24h)

/** Credentials that somebody must do something about. */
const needs = (credentials: Deployment['credentials']) =>
	credentials
		.filter(({ state }) => state !== 'ready')
		.map(({ name, state }) => `${name} ${state}`)
		.join(', ') || '-'

async function all(deployments: Client['deployments']): Promise<DeploymentWithActivity[]> {
	const found: DeploymentWithActivity[] = []
	for (let cursor: string | undefined; ; ) {
		const { data, next_cursor } = await deployments.list({ limit: 100, cursor })
		found.push(...data)
		if (next_cursor === null) return found
		cursor = next_cursor
	}
}
