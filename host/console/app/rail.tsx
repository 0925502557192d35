import { useLocation } from 'preact-iso'
import { useAction } from '../data/action.ts'
import { client } from '../data/client.ts'
import { useAccount, useOverview } from '../data/shell.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { openPalette } from './palette.tsx'

interface Entry {
	href: string
	name: string
	icon: IconName
	count?: number | undefined
}

/** Where one can go: on the left, and below on a phone. */
export function Rail() {
	const { data: account } = useAccount()
	const { data: overview } = useOverview()
	const { path } = useLocation()
	const entries: Entry[] = [
		{ href: '/', name: 'Agents', icon: 'agents' },
		{ href: '/runs', name: 'Runs', icon: 'runs' },
		{ href: '/failures', name: 'Failures', icon: 'failures', count: overview?.failures_24h },
		{ href: '/approvals', name: 'Approvals', icon: 'approvals', count: overview?.approvals_waiting },
		{ href: '/hub', name: 'Hub', icon: 'hub' },
		...(account?.operator ? [{ href: '/admin', name: 'Admin', icon: 'admin' } as const] : []),
		{ href: '/docs', name: 'API', icon: 'docs' },
	]
	return (
		<nav class="rail" aria-label="Berth">
			<a class="mark" href="/">
				Berth
			</a>
			<div class="rail-actions">
				<LinkButton href="/deploy" kind="primary" icon="plus">
					Deploy agent
				</LinkButton>
				<Button kind="quiet" icon="search" onClick={openPalette} title="Jump to an agent, run or page">
					Jump to <kbd>{/Mac|iPhone/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
				</Button>
			</div>
			<ul>
				{entries.map(({ href, name, icon, count }) => (
					<li key={href}>
						<a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
							<Icon name={icon} />
							<span>{name}</span>
							{count ? (
								<span class="count">
									{count > 99 ? '99+' : count}
									<span class="visually-hidden"> {name === 'Failures' ? 'in 24 hours' : 'waiting'}</span>
								</span>
							) : null}
						</a>
					</li>
				))}
			</ul>
			<SignOut email={account?.email} />
		</nav>
	)
}

/** On a phone, where the rail has room for pages alone. */
export function PhoneBar() {
	return (
		<div class="phone-bar phone-only">
			<a href="/docs">API</a>
			<Button kind="quiet" small icon="search" onClick={openPalette}>
				Jump to
			</Button>
			<SignOut />
		</div>
	)
}

function SignOut({ email }: { email?: string | undefined }) {
	const out = useAction(async () => {
		await client.account.signOut()
		location.assign('/sign-in')
	})
	return (
		<div class="rail-end">
			<span class="cut small soft" title={email}>
				{email ?? ' '}
			</span>
			<Button kind="quiet" small busy={out.busy} onClick={() => out.run()}>
				Sign out
			</Button>
		</div>
	)
}

function isAt(path: string, href: string): boolean {
	if (href === '/') return path === '/' || path.startsWith('/agents/')
	return path === href || path.startsWith(`${href}/`)
}
