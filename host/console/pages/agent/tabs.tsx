import type { FunctionComponent } from 'preact'
import type { DeploymentWithActivity } from '../../../owner/client/index.ts'
import type { agentSides } from '../../data/sides.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Overview } from './overview/tab.tsx'

export interface TabProps {
	agent: DeploymentWithActivity
	/** After a change: the agent is read again. */
	changed(): Promise<void>
}

type Path = (typeof agentSides)[number][0]

/** By the name in the address; each but the first is loaded when it is first shown. */
export const views: Record<Path, FunctionComponent<TabProps>> = {
	'': Overview,
	runs: lazyPart(() => import('./runs/tab.tsx')),
	try: lazyPart(() => import('./try/tab.tsx')),
	versions: lazyPart(() => import('./versions/tab.tsx')),
	keys: lazyPart(() => import('./keys/tab.tsx')),
	credentials: lazyPart(() => import('./credentials/tab.tsx')),
	tools: lazyPart(() => import('./tools/tab.tsx')),
	webhooks: lazyPart(() => import('./webhooks/tab.tsx')),
	schedules: lazyPart(() => import('./schedules/tab.tsx')),
	memory: lazyPart(() => import('./memory/tab.tsx')),
	budget: lazyPart(() => import('./budget/tab.tsx')),
	settings: lazyPart(() => import('./settings/tab.tsx')),
}
