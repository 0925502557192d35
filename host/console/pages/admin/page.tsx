import { lazy, useRoute } from 'preact-iso'
import { useAccount } from '../../data/shell.ts'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Accounts } from './accounts/tab.tsx'

const tabs = [
	{ path: '', title: 'Accounts', view: Accounts },
	{ path: 'guard', title: 'Guard', view: lazy(() => import('./guard/tab.tsx')) },
	{ path: 'hosts', title: 'Hosts', view: lazy(() => import('./hosts/tab.tsx')) },
	{ path: 'runs', title: 'Live runs', view: lazy(() => import('./runs/tab.tsx')) },
	{ path: 'prices', title: 'Prices', view: lazy(() => import('./prices/tab.tsx')) },
	{ path: 'audit', title: 'Audit log', view: lazy(() => import('./audit/tab.tsx')) },
]
const href = (path: string) => (path === '' ? '/admin' : `/admin/${path}`)

/** `/admin`: for operators. The host decides who is one; this page only says so. */
export default function Admin() {
	const account = useAccount()
	const at = useRoute().params.tab ?? ''
	const tab = tabs.find(({ path }) => path === at)
	return (
		<Page title="Admin">
			<Shown of={account}>
				{({ operator }) =>
					!operator ? (
						<Empty title="This needs an operator">
							<p class="soft">Ask one to give your account the role.</p>
						</Empty>
					) : (
						<>
							<Tabs
								label="Sides of the platform"
								tabs={tabs.map(({ path, title }) => ({ href: href(path), name: title }))}
								at={href(at)}
							/>
							{tab ? <tab.view /> : <Empty title="There is no such tab" />}
						</>
					)
				}
			</Shown>
		</Page>
	)
}
