/** Each is an address of its own. */
export function Tabs({
	label,
	tabs,
	at,
}: {
	label: string
	tabs: { href: string; name: string; count?: number }[]
	at: string
}) {
	return (
		<nav class="tabs" aria-label={label}>
			{tabs.map(({ href, name, count }) => (
				<a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
					{name}
					{count ? <span class="count">{count}</span> : null}
				</a>
			))}
		</nav>
	)
}
