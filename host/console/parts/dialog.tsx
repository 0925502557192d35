import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Failure } from './note.tsx'

interface DialogProps {
	title: string
	/** Without it there is no cross, and Escape does nothing: a button at the end closes it. */
	onClose?: () => void
	children: ComponentChildren
	/** Buttons, at the end. */
	footer?: ComponentChildren
	wide?: boolean
}

/** Modal while it is there: Escape and the cross close it, focus goes back to where it was. */
export function Dialog({ title, onClose, children, footer, wide }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null)
	useEffect(() => element.current?.showModal(), [])
	return (
		<dialog
			ref={element}
			class={wide ? 'wide' : ''}
			aria-label={title}
			// A second Escape closes it whatever is said to the first.
			onClose={onClose ?? (() => element.current?.showModal())}
			onCancel={(event) => {
				if (!onClose) event.preventDefault()
			}}
		>
			<header>
				<h2>{title}</h2>
				{onClose && (
					<Button kind="quiet" icon="close" label="Close" onClick={() => element.current?.close()} />
				)}
			</header>
			<div class="body">{children}</div>
			{footer && <footer>{footer}</footer>}
		</dialog>
	)
}

interface ConfirmProps {
	title: string
	/** What it costs, in a sentence. */
	children: ComponentChildren
	/** The verb on the button. */
	action: string
	/** On the one that changes nothing. */
	keep?: string
	danger?: boolean
	busy: boolean
	error: unknown
	onConfirm(): void
	onClose(): void
}

export function Confirm({
	title,
	children,
	action,
	keep = 'Cancel',
	danger,
	busy,
	error,
	onConfirm,
	onClose,
}: ConfirmProps) {
	const footer = (
		<>
			<Button onClick={onClose}>{keep}</Button>
			<Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
				{action}
			</Button>
		</>
	)
	return (
		<Dialog title={title} onClose={onClose} footer={footer}>
			{children}
			<Failure of={error} />
		</Dialog>
	)
}
