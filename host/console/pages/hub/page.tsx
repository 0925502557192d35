import type { FunctionComponent } from 'preact'
import { useRoute } from 'preact-iso'
import { hubSides, sideAt } from '../../data/sides.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Plan } from './plan/tab.tsx'

const views: Record<(typeof hubSides)[number][0], FunctionComponent> = {
	'': Plan,
	credits: lazyPart(() => import('./credits/tab.tsx')),
	alerts: lazyPart(() => import('./alerts/tab.tsx')),
	tokens: lazyPart(() => import('./tokens/tab.tsx')),
	sessions: lazyPart(() => import('./sessions/tab.tsx')),
	audit: lazyPart(() => import('./audit/tab.tsx')),
}

/** `/hub`: the account, its plan, its credits, and who may act for it. */
export default function Hub() {
	const at = useRoute().params.tab ?? ''
	const side = hubSides.find(([path]) => path === at)?.[0]
	const View = side === undefined ? undefined : views[side]
	return (
		<Page title="Platform Hub">
			<Tabs
				label="Sides of the account"
				tabs={hubSides.map(([path, name]) => ({ href: sideAt('/hub', path), name }))}
				at={sideAt('/hub', at)}
			/>
			{View ? <View /> : <Empty title="There is no such tab" />}
		</Page>
	)
}
