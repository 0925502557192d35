import './versions.css'
import { plural } from '../../../data/format.ts'
import { TextDiff } from '../../../parts/text-diff.tsx'
import type { Changes } from './changes.ts'

/** `brief`: texts are counted, not shown. */
export function ChangeList({ of: { groups, texts }, brief }: { of: Changes; brief?: boolean }) {
	if (groups.length === 0 && texts.length === 0) return <p class="soft">They mean the same.</p>
	return (
		<div class="stack">
			{texts.map(({ title, before, after }) =>
				brief ? (
					<p key={title}>
						<strong>{title}</strong>: {plural(before.split('\n').length, 'line')} before,{' '}
						{plural(after.split('\n').length, 'line')} after.
					</p>
				) : (
					<section key={title} class="stack tight">
						<h3>{title}</h3>
						<TextDiff label={`Changes of: ${title}`} before={before} after={after} />
					</section>
				),
			)}
			{groups.map(({ title, changes }) => (
				<section key={title} class="stack tight">
					<h3>{title}</h3>
					<ul class="changes">
						{changes.map(({ what, before, after }) => (
							<li key={what}>
								<code>{what}</code>
								<span>
									{before && <del>{before}</del>}
									{before && after && ' '}
									{after && <ins>{after}</ins>}
									{before === undefined && <span class="tag good">new</span>}
									{after === undefined && <span class="tag bad">gone</span>}
								</span>
							</li>
						))}
					</ul>
				</section>
			))}
		</div>
	)
}
