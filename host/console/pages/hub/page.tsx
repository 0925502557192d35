import { lazy, useRoute } from 'preact-iso'
import { Empty, Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Plan } from './plan/tab.tsx'

const tabs = [
	{ path: '', title: 'Plan', view: Plan },
	{ path: 'credits', title: 'Credits', view: lazy(() => import('./credits/tab.tsx')) },
	{ path: 'alerts', title: 'Alerts', view: lazy(() => import('./alerts/tab.tsx')) },
	{ path: 'tokens', title: 'Tokens', view: lazy(() => import('./tokens/tab.tsx')) },
	{ path: 'sessions', title: 'Sessions', view: lazy(() => import('./sessions/tab.tsx')) },
	{ path: 'audit', title: 'Audit log', view: lazy(() => import('./audit/tab.tsx')) },
]
const href = (path: string) => (path === '' ? '/hub' : `/hub/${path}`)

/** `/hub`: the account, its plan, its credits, and who may act for it. */
export default function Hub() {
	const at = useRoute().params.tab ?? ''
	const tab = tabs.find(({ path }) => path === at)
	return (
		<Page title="Platform Hub">
			<Tabs
				label="Sides of the account"
				tabs={tabs.map(({ path, title }) => ({ href: href(path), name: title }))}
				at={href(at)}
			/>
			{tab ? <tab.view /> : <Empty title="There is no such tab" />}
		</Page>
	)
}
