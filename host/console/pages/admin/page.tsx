import type { FunctionComponent } from 'preact'
import { useRoute } from 'preact-iso'
import { useAccount } from '../../data/shell.ts'
import { adminSides, sideAt } from '../../data/sides.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Empty, Page, Shown } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Accounts } from './accounts/tab.tsx'

const views: Record<(typeof adminSides)[number][0], FunctionComponent> = {
	'': Accounts,
	guard: lazyPart(() => import('./guard/tab.tsx')),
	hosts: lazyPart(() => import('./hosts/tab.tsx')),
	runs: lazyPart(() => import('./runs/tab.tsx')),
	prices: lazyPart(() => import('./prices/tab.tsx')),
	audit: lazyPart(() => import('./audit/tab.tsx')),
}

/** `/admin`: for operators. The host decides who is one; this page only says so. */
export default function Admin() {
	const account = useAccount()
	const at = useRoute().params.tab ?? ''
	const side = adminSides.find(([path]) => path === at)?.[0]
	const View = side === undefined ? undefined : views[side]
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
								tabs={adminSides.map(([path, name]) => ({ href: sideAt('/admin', path), name }))}
								at={sideAt('/admin', at)}
							/>
							{View ? <View /> : <Empty title="There is no such tab" />}
						</>
					)
				}
			</Shown>
		</Page>
	)
}
