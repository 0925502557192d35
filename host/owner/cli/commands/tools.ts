import type { Command } from 'commander'
import type { ToolLock } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { table } from '../io.ts'
import { tellListAs } from '../list.ts'
import { findDeployment, session } from '../session.ts'

/** The tool lock (spec connector.changed-tool): what changed at the connectors, and the owner's consent to it. */
export function toolsCommand(program: Command): void {
	command(program, 'tools <name>', 'tools of the connectors, and what has changed since they were locked')
		.option('--accept', 'accept the changes shown, so that the tools are callable again')
		.action(
			does<{ accept?: boolean }>(async (io, { accept }, name) => {
				const client = session(io)
				const { deployments } = client
				const { id } = await findDeployment(client, name)
				const { data } = await deployments.tools(id)
				const changed = data.filter(({ state }) => state === 'changed')
				if (!accept || changed.length === 0) return tellListAs(io, { data }, () => shown(data))
				if (!io.json) io.note(changed.flatMap(differenceLines).join('\n'))
				const offers = changed.map(({ connector, tool, offered }) => ({
					connector,
					tool,
					hash: offered?.hash ?? '',
				}))
				const accepted = await deployments.acceptTools(id, offers)
				tellListAs(io, accepted, () => shown(accepted.data))
			}),
		)
}

function shown(tools: ToolLock[]): string {
	const rows = tools.map(({ tool, state, connector, error, warning }) => [
		tool,
		state,
		connector,
		error?.detail ?? warning ?? '',
	])
	const changes = tools.flatMap(differenceLines)
	return [table([['TOOL', 'STATE', 'CONNECTOR', ''], ...rows]), ...changes].join('\n')
}

function differenceLines({ tool, connector, difference }: ToolLock): string[] {
	if (difference.length === 0) return []
	const side = (mark: string, value: unknown) =>
		value === undefined ? [] : [`  ${mark} ${JSON.stringify(value)}`]
	return [
		'',
		`${tool} of ${connector}:`,
		...difference.flatMap(({ path, locked, offered }) => [
			`  ${path}`,
			...side('-', locked),
			...side('+', offered),
		]),
	]
}
