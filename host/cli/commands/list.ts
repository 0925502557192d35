import type { Command } from 'commander'
import type { Deployment } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { table } from '../io.ts'
import { session } from '../session.ts'

export function listCommand(program: Command): void {
	command(program, 'list', 'your deployments').action(
		does(async (io) => {
			const client = session(io)
			const all: Deployment[] = []
			for (let cursor: string | undefined; ; ) {
				const { data, next_cursor } = await client.deployments.list({ limit: 100, cursor })
				all.push(...data)
				if (next_cursor === null) break
				cursor = next_cursor
			}
			const rows = all.map(({ name, state, version, agent, url, state_reason }) => [
				name,
				state + (state_reason ? ` (${state_reason})` : ''),
				`v${version}`,
				agent.name,
				url,
			])
			io.result(
				all,
				rows.length === 0
					? 'No deployments yet.'
					: table([['NAME', 'STATE', 'VERSION', 'AGENT', 'URL'], ...rows]),
			)
		}),
	)
}
