import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Card, Shown } from '../../../parts/page.tsx'
import { Editor } from './editor.tsx'
import { History } from './history.tsx'

interface Props {
	agent: DeploymentWithActivity
	path: string
	root: string
	onChange(): void
}

/** One file: its text to be edited, and its past. */
export function FileView({ agent: { id, url }, path, root, onChange }: Props) {
	const { route } = useLocation()
	const file = useLoad(`memory ${id} ${path}`, () => client.memory.get(url, path))
	const deleting = useSignal(false)
	/** Of an older version, to be put into the editor. */
	const taken = useSignal<{ text: string; turn: number }>({ text: '', turn: 0 })
	const remove = useAction(async () => {
		await client.memory.remove(url, path, file.data?.version)
		onChange()
		route(root)
	})
	return (
		<div class="stack">
			<div class="row apart">
				<LinkButton kind="quiet" href={root}>
					All files
				</LinkButton>
				<Button
					disabled={!file.data}
					onClick={() => {
						deleting.value = true
					}}
				>
					Delete file
				</Button>
			</div>
			<Card title={<code>{path}</code>}>
				<Shown of={file}>
					{(data) => (
						<Editor
							url={url}
							file={data}
							taken={taken.value}
							onSaved={(saved) => {
								file.set(saved)
								onChange()
							}}
							onTheirs={file.set}
						/>
					)}
				</Shown>
			</Card>
			{file.data && (
				<History
					url={url}
					path={path}
					version={file.data.version}
					onTake={(text) => {
						taken.value = { text, turn: taken.value.turn + 1 }
					}}
				/>
			)}
			{deleting.value && (
				<Confirm
					title={`Delete ${path}`}
					action="Delete file"
					danger
					busy={remove.busy}
					error={remove.error}
					onConfirm={() => remove.run()}
					onClose={() => {
						deleting.value = false
					}}
				>
					<p>
						Runs no longer find it. Its versions are kept until all memory is erased, or 500 newer ones are
						written.
					</p>
				</Confirm>
			)}
		</div>
	)
}
