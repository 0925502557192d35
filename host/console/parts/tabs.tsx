import { useEffect, useRef } from 'preact/hooks'

/** Each is an address of its own. Where they have no room, the one that is shown is scrolled to. */
export function Tabs({
	label,
	tabs,
	at,
}: {
	label: string
	tabs: { href: string; name: string; count?: number }[]
	at: string
}) {
	const nav = useRef<HTMLElement>(null)
	useEffect(() => {
		nav.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
	}, [at])
	return (
		<nav ref={nav} class="tabs" aria-label={label}>
			{tabs.map(({ href, name, count }) => (
				<a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
					{name}
					{count ? <span class="count">{count}</span> : null}
				</a>
			))}
		</nav>
	)
}
