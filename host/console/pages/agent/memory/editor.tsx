import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError, type MemoryFile } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { bytes } from '../../../data/format.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { TextDiff } from '../../../parts/text-diff.tsx'
import { Time } from '../../../parts/time.tsx'

interface Props {
	url: string
	file: MemoryFile
	/** A text that was asked for from its past; each turn is a new one. */
	taken: { text: string; turn: number }
	onSaved(file: MemoryFile): void
	/** What somebody else wrote meanwhile is taken. */
	onTheirs(file: MemoryFile): void
}

/** Saves over the version it began with alone; what was written meanwhile is shown beside. */
export function Editor({ url, file, taken, onSaved, onTheirs }: Props) {
	const text = useSignal(file.content)
	const base = useSignal(file)
	const theirs = useSignal<MemoryFile | undefined>(undefined)
	const take = (now: MemoryFile, content: string) => {
		base.value = now
		text.value = content
		theirs.value = undefined
	}
	useEffect(() => {
		// Read again from elsewhere: what is typed stays.
		if (text.value === base.value.content) take(file, file.content)
	}, [file])
	useEffect(() => {
		if (taken.turn > 0) text.value = taken.text
	}, [taken.turn])
	const save = useAction(async (version: number) => {
		try {
			const saved = await client.memory.put(url, file.path, text.value, version)
			take(saved, saved.content)
			onSaved(saved)
			say(`Saved as version ${saved.version}.`)
		} catch (error) {
			if (!(error instanceof ApiError) || error.status !== 412) throw error
			theirs.value = await client.memory.get(url, file.path)
		}
	})
	const changed = text.value !== base.value.content
	const { updated_at, updated_by, version, size } = base.value
	return (
		<div class="stack">
			<p class="soft small">
				Version {version}, {bytes(size)}, written <Time at={updated_at} /> by {updated_by}
			</p>
			<Field label="Text">
				{(attributes) => (
					<textarea
						{...attributes}
						class="mono"
						rows={14}
						spellcheck={false}
						value={text.value}
						onInput={(event) => {
							text.value = event.currentTarget.value
						}}
					/>
				)}
			</Field>
			{theirs.value && (
				<Conflict
					theirs={theirs.value}
					mine={text.value}
					busy={save.busy}
					onMine={() => theirs.value && save.run(theirs.value.version)}
					onTheirs={() => {
						const now = theirs.value
						if (!now) return
						take(now, now.content)
						onTheirs(now)
					}}
				/>
			)}
			<Failure of={save.error} />
			{!theirs.value && (
				<div class="actions">
					<Button kind="primary" busy={save.busy} disabled={!changed} onClick={() => save.run(version)}>
						Save
					</Button>
					<Button
						disabled={!changed}
						onClick={() => {
							text.value = base.value.content
						}}
					>
						Undo changes
					</Button>
				</div>
			)}
		</div>
	)
}

interface ConflictProps {
	theirs: MemoryFile
	mine: string
	busy: boolean
	onMine(): void
	onTheirs(): void
}

function Conflict({ theirs, mine, busy, onMine, onTheirs }: ConflictProps) {
	return (
		<Note tone="warn">
			<p role="alert">
				It was written meanwhile: version {theirs.version} by {theirs.updated_by}. Nothing was saved. From
				that to yours:
			</p>
			<TextDiff label="From what was written meanwhile to yours" before={theirs.content} after={mine} />
			<div class="actions">
				<Button busy={busy} onClick={onMine}>
					Save mine over version {theirs.version}
				</Button>
				<Button onClick={onTheirs}>Take version {theirs.version}</Button>
			</div>
		</Note>
	)
}
