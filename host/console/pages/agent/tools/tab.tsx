import './tools.css'
import { useSignal } from '@preact/signals'
import type { DeploymentWithActivity, ToolLock } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { plural } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Card, Empty, Shown } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import type { TabProps } from '../tabs.tsx'
import { Tool } from './tool.tsx'

/** The tools of the connectors as they are locked, and what their servers offer now. */
export default function Tools({ agent }: TabProps) {
	const tools = useLoad(`tools ${agent.id}`, () => client.deployments.tools(agent.id))
	return (
		<Shown of={tools} lines={6}>
			{({ data }) => <Locks agent={agent} data={data} reload={tools.reload} set={tools.set} />}
		</Shown>
	)
}

interface Props {
	agent: DeploymentWithActivity
	data: ToolLock[]
	reload(): Promise<void>
	set(tools: { data: ToolLock[] }): void
}

const keyOf = ({ connector, tool }: ToolLock) => `${connector} ${tool}`

function Locks({ agent, data, reload, set }: Props) {
	const left = useSignal<string[]>([])
	const changed = data.filter(({ state }) => state === 'changed')
	const chosen = changed.filter((tool) => !left.value.includes(keyOf(tool)))
	const accept = useAction(async () => {
		// The offers that stand on the page, by their hashes: one that changed meanwhile is refused.
		const offers = chosen.flatMap(({ connector, tool, offered }) =>
			offered ? [{ connector, tool, hash: offered.hash }] : [],
		)
		set(await client.deployments.acceptTools(agent.id, offers))
	})
	const ask = useAction(reload)
	if (data.length === 0)
		return (
			<Empty title="No connector">
				<p>This version requires no tools of a connector.</p>
			</Empty>
		)
	return (
		<div class="stack">
			<div class="row apart">
				<p class="soft">
					A tool is locked as it was first offered. One that changes is not called until you accept it.
				</p>
				<Button icon="replay" busy={ask.busy} onClick={() => ask.run()}>
					Ask the connectors again
				</Button>
			</div>
			{changed.length > 0 && (
				<Note tone="warn">
					<p>
						{plural(changed.length, 'tool')} {changed.length === 1 ? 'has' : 'have'} changed. Calls of{' '}
						{changed.length === 1 ? 'it' : 'them'} fail as <code>tool_changed</code>. Read what a description
						says before you accept it: the model reads it as well.
					</p>
					<div class="actions">
						<Button
							kind="primary"
							busy={accept.busy}
							disabled={chosen.length === 0}
							onClick={() => accept.run()}
						>
							{`Accept ${plural(chosen.length, 'change')}`}
						</Button>
					</div>
				</Note>
			)}
			<Failure of={accept.error ?? ask.error} />
			{[...new Set(data.map(({ connector }) => connector))].map((connector) => (
				<Card key={connector} title={connector} actions={<SignIn agent={agent} connector={connector} />}>
					<ul class="tools">
						{data
							.filter((tool) => tool.connector === connector)
							.map((tool) => (
								<Tool
									key={tool.tool}
									of={tool}
									chosen={!left.value.includes(keyOf(tool))}
									onChosen={(yes) => {
										const others = left.value.filter((one) => one !== keyOf(tool))
										left.value = yes ? others : [...others, keyOf(tool)]
									}}
								/>
							))}
					</ul>
				</Card>
			))}
		</div>
	)
}

/** How its credential stands, with the way to give it. Nothing where it takes none. */
function SignIn({ agent, connector }: { agent: DeploymentWithActivity; connector: string }) {
	const credential = agent.credentials.find(({ needed_by }) => needed_by === connector)
	if (!credential) return null
	return (
		<>
			<State of={credential.state} />
			<LinkButton small href={`/agents/${encodeURIComponent(agent.name)}/credentials`}>
				Credentials
			</LinkButton>
		</>
	)
}
