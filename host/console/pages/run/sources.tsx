import type { Citation } from '../../../owner/client/index.ts'

/** What an answer rests on, each source once, with what is cited of it. */
export function Sources({ of: citations }: { of: Citation[] }) {
	const sources = Map.groupBy(citations, ({ url, file }) => url ?? file ?? '')
	if (sources.size === 0) return null
	return (
		<section>
			<h3>Sources</h3>
			<ol class="plain-list">
				{[...sources].map(([name, all]) => (
					<li key={name}>
						<Source of={all[0] as Citation} />
						{[...new Set(all.map(({ cited_text }) => cited_text ?? ''))].filter(Boolean).map((text) => (
							<p key={text} class="soft">
								{text}
							</p>
						))}
					</li>
				))}
			</ol>
		</section>
	)
}

/** An address that a model found is text of a stranger: it is a link where it is one of the web, and opens apart. */
function Source({ of: { url, file, title } }: { of: Citation }) {
	const name = title || url || file || 'unnamed'
	if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return <span>{name}</span>
	return (
		<a href={url} target="_blank" rel="noopener noreferrer">
			{name}
		</a>
	)
}
