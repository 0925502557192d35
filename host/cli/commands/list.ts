import type { Command } from 'commander'
import type { Client, Deployment } from '../../client/index.ts'
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
				head: ['NAME', 'STATE', 'VERSION', 'AGENT', 'URL'],
				row: ({ name, state, version, agent, url, state_reason }) => [
					name,
					state + (state_reason ? ` (${state_reason})` : ''),
					`v${version}`,
					agent.name,
					url,
				],
			})
		}),
	)
}

async function all(deployments: Client['deployments']): Promise<Deployment[]> {
	const found: Deployment[] = []
	for (let cursor: string | undefined; ; ) {
		const { data, next_cursor } = await deployments.list({ limit: 100, cursor })
		found.push(...data)
		if (next_cursor === null) return found
		cursor = next_cursor
	}
}
