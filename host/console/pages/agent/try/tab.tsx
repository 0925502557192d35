import { LinkButton } from '../../../parts/button.tsx'
import { Card, Empty } from '../../../parts/page.tsx'
import { RunNow } from '../../../parts/run-now.tsx'
import type { TabProps } from '../tabs.tsx'

/** Runs the agent from a form of its inputs. It is a run like any other, of its owner's. */
export default function Try({ agent }: TabProps) {
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
	return (
		<Card title="Run it">
			{/* A new version may have other inputs. */}
			<div class="beside">
				<RunNow key={agent.version} url={agent.url} inputs={agent.agent.inputs} />
			</div>
		</Card>
	)
}
