import { useLocation } from 'preact-iso'
import type { Version } from '../../../../owner/client/index.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { LinkButton } from '../../../parts/button.tsx'
import { ChoiceField } from '../../../parts/field.tsx'
import { Card, Shown } from '../../../parts/page.tsx'
import { ChangeList } from './change-list.tsx'
import { changesOf } from './changes.ts'

interface Props {
	deployment: string
	root: string
	versions: Version[]
	before: number
	after: number
}

/** Two versions, by what differs in meaning. */
export function Compare({ deployment, root, versions, before, after }: Props) {
	const { route } = useLocation()
	const both = useLoad(`versions ${deployment} ${before} ${after}`, () =>
		Promise.all([
			client.deployments.version(deployment, before),
			client.deployments.version(deployment, after),
		]),
	)
	const options = versions.map(({ version }) => ({ value: String(version), label: `v${version}` }))
	return (
		<Card
			title={`From v${before} to v${after}`}
			actions={
				<LinkButton small kind="quiet" href={root}>
					Close
				</LinkButton>
			}
		>
			<div class="stack">
				<div class="row">
					<ChoiceField
						label="From"
						value={String(before)}
						options={options}
						onChoice={(from) => route(`${root}?from=${from}&to=${after}`, true)}
					/>
					<ChoiceField
						label="To"
						value={String(after)}
						options={options}
						onChoice={(to) => route(`${root}?from=${before}&to=${to}`, true)}
					/>
				</div>
				<Shown of={both}>{([old, now]) => <ChangeList of={changesOf(old, now)} />}</Shown>
			</div>
		</Card>
	)
}
