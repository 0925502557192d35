import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Dropped } from './dropped.ts'

/** A place to drop a file, with a button for whoever does not drag. */
export function DropZone({
	busy,
	again,
	onFile,
}: {
	busy: boolean
	again: boolean
	onFile(dropped: Dropped): void
}) {
	const over = useSignal(false)
	const input = useRef<HTMLInputElement>(null)
	const take = async (file: File | undefined) => {
		if (!file || busy) return
		onFile({ bytes: new Uint8Array(await file.arrayBuffer()), fileName: file.name })
	}
	return (
		<div
			role="group"
			aria-label="Bundle file"
			class={`drop-zone ${over.value ? 'over' : ''}`}
			onDragOver={(event) => {
				event.preventDefault()
				over.value = true
			}}
			onDragLeave={() => {
				over.value = false
			}}
			onDrop={(event) => {
				event.preventDefault()
				over.value = false
				void take(event.dataTransfer?.files[0])
			}}
		>
			<Icon name="upload" size={24} />
			<p>{again ? 'Drop another bundle here' : 'Drop a bundle here: a file that ends with .agent'}</p>
			<Button busy={busy} onClick={() => input.current?.click()}>
				{busy ? 'Reading …' : again ? 'Choose another file' : 'Choose file'}
			</Button>
			<input
				ref={input}
				type="file"
				accept=".agent,.zip,application/zip"
				hidden
				aria-label="Choose a bundle file"
				onChange={(event) => {
					void take(event.currentTarget.files?.[0])
					// The same file, mended, is a change again.
					event.currentTarget.value = ''
				}}
			/>
		</div>
	)
}
