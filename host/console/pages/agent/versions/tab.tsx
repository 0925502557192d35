import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { Version } from '../../../../owner/client/index.ts'
import { client } from '../../../data/client.ts'
import { commitName } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Shown } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { type Column, Table } from '../../../parts/table.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from '../tabs.tsx'
import { Activate } from './activate.tsx'
import { Compare } from './compare.tsx'
import { Upload } from './upload.tsx'
import { verbOf } from './verb.ts'

/** Every version of the agent, how two of them differ, and which one new runs get. */
export default function Versions({ agent, changed }: TabProps) {
	const { query } = useLocation()
	const versions = useLoad(`versions ${agent.id}`, () => client.deployments.versions(agent.id))
	const asked = useSignal<number | undefined>(undefined)
	const root = `/agents/${encodeURIComponent(agent.name)}/versions`
	const reload = async () => {
		asked.value = undefined
		await Promise.all([versions.reload(), changed()])
	}
	return (
		<div class="stack">
			<Upload agent={agent} root={root} onDone={reload} />
			<Shown of={versions}>
				{({ data }) => {
					const pair = pairOf(query, data)
					return (
						<>
							<Table
								label="Versions"
								columns={columnsOf(agent.version, root, (version) => {
									asked.value = version
								})}
								rows={data}
								id={({ version }) => String(version)}
							/>
							{pair && <Compare deployment={agent.id} root={root} versions={data} {...pair} />}
						</>
					)
				}}
			</Shown>
			{asked.value !== undefined && (
				<Activate
					agent={agent}
					version={asked.value}
					onDone={reload}
					onClose={() => {
						asked.value = undefined
					}}
				/>
			)}
		</div>
	)
}

/** Which two the address names, where both are there. */
function pairOf({ from, to }: Record<string, string>, versions: Version[]) {
	const known = (text: string | undefined) =>
		versions.find(({ version }) => String(version) === text)?.version
	const [before, after] = [known(from), known(to)]
	return before !== undefined && after !== undefined ? { before, after } : null
}

const columnsOf = (active: number, root: string, ask: (version: number) => void): Column<Version>[] => [
	{ head: 'Version', cell: ({ version }) => `v${version}` },
	{
		head: 'State',
		cell: ({ version }) => (version === active ? <State of="active" /> : <span class="soft">–</span>),
	},
	{ head: 'Uploaded', cell: ({ created_at }) => <Time at={created_at} />, minor: true },
	{ head: 'Commit', cell: ({ agent }) => <code>{commitName(agent.commit)}</code>, minor: true },
	{ head: 'Model', cell: ({ agent }) => String(agent.model.name ?? ''), minor: true },
	{
		head: 'Actions',
		cell: ({ version }) =>
			version !== active && (
				<div class="actions">
					<LinkButton small href={`${root}?from=${version}&to=${active}`}>
						Compare with v{active}
					</LinkButton>
					<Button small onClick={() => ask(version)}>
						{verbOf(version, active)}
					</Button>
				</div>
			),
		number: true,
	},
]
