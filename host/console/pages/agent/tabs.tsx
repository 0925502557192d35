import type { FunctionComponent } from 'preact'
import { lazy } from 'preact-iso'
import type { DeploymentWithActivity } from '../../../owner/client/index.ts'
import { Overview } from './overview/tab.tsx'

export interface TabProps {
	agent: DeploymentWithActivity
	/** After a change: the agent is read again. */
	changed(): Promise<void>
}

/** In the order in which they stand. The first has no name in the address; each other is loaded when it is first shown. */
export const tabs: { path: string; title: string; view: FunctionComponent<TabProps> }[] = [
	{ path: '', title: 'Overview', view: Overview },
	{ path: 'runs', title: 'Runs', view: lazy(() => import('./runs/tab.tsx')) },
	{ path: 'try', title: 'Try it', view: lazy(() => import('./try/tab.tsx')) },
	{ path: 'versions', title: 'Versions', view: lazy(() => import('./versions/tab.tsx')) },
	{ path: 'keys', title: 'Keys', view: lazy(() => import('./keys/tab.tsx')) },
	{ path: 'credentials', title: 'Credentials', view: lazy(() => import('./credentials/tab.tsx')) },
	{ path: 'tools', title: 'Tools', view: lazy(() => import('./tools/tab.tsx')) },
	{ path: 'webhooks', title: 'Webhooks', view: lazy(() => import('./webhooks/tab.tsx')) },
	{ path: 'schedules', title: 'Schedules', view: lazy(() => import('./schedules/tab.tsx')) },
	{ path: 'memory', title: 'Memory', view: lazy(() => import('./memory/tab.tsx')) },
	{ path: 'budget', title: 'Budget', view: lazy(() => import('./budget/tab.tsx')) },
	{ path: 'settings', title: 'Settings', view: lazy(() => import('./settings/tab.tsx')) },
]
