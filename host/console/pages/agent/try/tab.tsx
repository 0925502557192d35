import { useLocation } from 'preact-iso'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { Card, Empty, Shown } from '../../../parts/page.tsx'
import { RunNow } from '../../../parts/run-now.tsx'
import type { TabProps } from '../tabs.tsx'

/** Runs the agent from a form of its inputs. It is a run like any other, of its owner's. */
export default function Try({ agent }: TabProps) {
	const { query } = useLocation()
	if (agent.state !== 'running')
		return (
			<Empty title="It is not running">
				<p>
					{agent.state === 'stopped' ? 'Start it to run it from here.' : 'It cannot be run in this state.'}
				</p>
				{agent.state === 'creating' && (
					<LinkButton href={`/deploy?deployment=${agent.id}`}>Continue setting up</LinkButton>
				)}
			</Empty>
		)
	if (query.run) return <Changed agent={agent} run={query.run} />
	return <Form agent={agent} />
}

/** With the inputs of another run, to be changed. */
function Changed({ agent, run }: { agent: TabProps['agent']; run: string }) {
	const known = useLoad(`inputs ${run}`, () => client.runs.get(agent.url, run))
	return <Shown of={known}>{({ inputs }) => <Form agent={agent} initially={inputs} />}</Shown>
}

interface FormProps {
	agent: TabProps['agent']
	initially?: Record<string, unknown>
}

function Form({ agent: { url, version, agent }, initially }: FormProps) {
	return (
		<Card title="Run it">
			<div class="beside">
				{/* A new version may have other inputs. */}
				<RunNow key={version} url={url} inputs={agent.inputs} {...(initially && { initially })} />
			</div>
		</Card>
	)
}
