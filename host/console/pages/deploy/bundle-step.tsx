import { useSignal } from '@preact/signals'
import { useAction } from '../../data/action.ts'
import { readAgents } from '../../data/shell.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Failure, Note } from '../../parts/note.tsx'
import { DropZone } from './drop-zone.tsx'
import { type Checked, check, type Dropped, freeName } from './dropped.ts'
import { Examples } from './example.tsx'
import { peek } from './peek.ts'
import { Summary } from './summary.tsx'

interface StepProps {
	checked: Checked | undefined
	onChecked(checked: Checked | undefined): void
	onNext(): void
}

/** 1: a file is read in the browser, then checked by the host; faults stay until another file is chosen. */
export function BundleStep({ checked, onChecked, onNext }: StepProps) {
	const fileName = useSignal('')
	const read = useAction(async (dropped: Dropped) => {
		fileName.value = dropped.fileName
		onChecked(undefined)
		const [peeked, agents] = await Promise.all([peek(dropped), readAgents()])
		const taken = agents.map(({ name }) => name)
		onChecked(await check(dropped, peeked, freeName(peeked.name, taken)))
	})
	const good = checked !== undefined && checked.faults.length === 0 && checked.refusal === undefined
	return (
		<section class="stack" aria-label="Bundle">
			<h2>Bundle</h2>
			<DropZone
				busy={read.busy}
				again={checked !== undefined || read.error !== undefined}
				onFile={read.run}
			/>
			<Failure of={read.error} />
			{checked && checked.faults.length > 0 && <Faults of={checked} />}
			{checked?.refusal && (
				<Note tone="bad">
					<p>{checked.refusal}</p>
				</Note>
			)}
			{checked && good && <Summary of={checked} />}
			{good ? (
				<div class="actions">
					<Button kind="primary" onClick={onNext}>
						Continue
					</Button>
				</div>
			) : (
				!read.busy && (
					<div class="stack">
						<Examples onFile={read.run} />
						<p class="soft small">This command makes a bundle of an agent's last commit:</p>
						<Code label="command for a bundle" text="npm run berth -- bundle my-agent" />
					</div>
				)
			)}
		</section>
	)
}

function Faults({ of: { fileName, faults } }: { of: Checked }) {
	return (
		<Note tone="bad">
			<p>
				{fileName} has {faults.length === 1 ? 'one fault' : `${faults.length} faults`}. Mend{' '}
				{faults.length === 1 ? 'it' : 'them'} in the agent's folder, commit, build the bundle again, and
				choose it here.
			</p>
			<ul class="faults">
				{faults.map((fault) => (
					<li key={fault}>
						<code>{fault}</code>
					</li>
				))}
			</ul>
		</Note>
	)
}
