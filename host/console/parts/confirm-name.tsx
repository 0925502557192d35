import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { bound } from '../data/bound.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Failure } from './note.tsx'

interface Props {
	title: string
	/** What is to be typed. */
	name: string
	/** What it erases. */
	children: ComponentChildren
	action: string
	busy: boolean
	error: unknown
	onConfirm(): void
	onClose(): void
}

/** For what cannot be undone: the button works once the name is typed. */
export function ConfirmName({ title, name, children, action, busy, error, onConfirm, onClose }: Props) {
	const typed = useSignal('')
	const same = asShown(typed.value) === asShown(name)
	const footer = (
		<>
			<Button onClick={onClose}>Cancel</Button>
			<Button type="submit" kind="danger" busy={busy} disabled={!same}>
				{action}
			</Button>
		</>
	)
	return (
		<Dialog title={title} onClose={onClose} onSubmit={onConfirm} footer={footer}>
			{children}
			<TextField label={`Type ${name} to confirm`} {...bound(typed)} autoComplete="off" />
			<Failure of={error} />
		</Dialog>
	)
}

/** A page shows several spaces as one. */
const asShown = (text: string) => text.trim().replace(/\s+/g, ' ')
