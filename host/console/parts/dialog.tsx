import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { Failure } from './note.tsx'

interface DialogProps {
	title: string
	/** Without it there is no cross, and Escape does nothing: a button at the end closes it. */
	onClose?: () => void
	/** Where it has fields: it is a form, which Enter and the button of type `submit` send. */
	onSubmit?: (() => unknown) | undefined
	children: ComponentChildren
	/** Buttons, at the end. */
	footer?: ComponentChildren
	wide?: boolean
}

/** Modal while it is there: Escape and the cross close it, focus goes back to where it was. */
export function Dialog({ title, onClose, onSubmit, children, footer, wide }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null)
	useEffect(() => {
		const before = document.activeElement
		element.current?.showModal()
		return () => {
			// Once it is gone: what is behind it takes no focus before.
			queueMicrotask(() => before instanceof HTMLElement && before.focus())
		}
	}, [])
	const parts = (
		<>
			<div class="body">{children}</div>
			{footer && <footer>{footer}</footer>}
		</>
	)
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
			{onSubmit ? <form onSubmit={sent(onSubmit)}>{parts}</form> : parts}
		</dialog>
	)
}

const sent = (submit: () => unknown) => (event: SubmitEvent) => {
	event.preventDefault()
	submit()
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
			<Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy}>
				{action}
			</Button>
		</>
	)
	return (
		<Dialog title={title} onClose={onClose} onSubmit={onConfirm} footer={footer}>
			{children}
			<Failure of={error} />
		</Dialog>
	)
}
