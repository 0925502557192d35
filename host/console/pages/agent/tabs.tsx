import type { FunctionComponent } from 'preact'
import type { DeploymentWithActivity } from '../../../owner/client/index.ts'
import { Overview } from './overview/tab.tsx'

export interface TabProps {
	agent: DeploymentWithActivity
	/** After a change: the agent is read again. */
	changed(): Promise<void>
}

/** In the order in which they stand. The first has no name in the address. */
export const tabs: { path: string; title: string; view: FunctionComponent<TabProps> }[] = [
	{ path: '', title: 'Overview', view: Overview },
]
