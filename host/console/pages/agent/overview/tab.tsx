import { Id } from '../../../parts/copy.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { Time } from '../../../parts/time.tsx'
import type { TabProps } from '../tabs.tsx'

/** What the agent is and where it is called. */
export function Overview({ agent }: TabProps) {
	return (
		<Card title="Agent">
			<Facts
				of={[
					['Address', <Id key="url" of={agent.url} />],
					['Place', agent.place],
					['Version', `v${agent.version}`],
					['Since', <Time key="since" at={agent.state_since} />],
				]}
			/>
		</Card>
	)
}
