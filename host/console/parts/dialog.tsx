import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useAskBeforeLeaving } from '../data/leaving.ts'
import { Button } from './button.tsx'
import { Failure } from './note.tsx'

interface DialogProps {
	title: string
	/** Without it there is no cross, and Escape does nothing: a button at the end closes it. */
	onClose?: () => void
	/** Where it has fields: it is a form, which Enter and the button of type `submit` send. */
	onSubmit?: (() => unknown) | undefined
	/** An answer that is shown once is on its way: until then it cannot be closed. */
	busy?: boolean | undefined
	children: ComponentChildren
	/** Buttons, at the end. */
	footer?: ComponentChildren
	wide?: boolean
}

/** Modal while it is there: Escape and the cross close it, focus goes back to where it was. */
export function Dialog({ title, onClose, onSubmit, busy, children, footer, wide }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null)
	const close = busy ? undefined : onClose
	useAskBeforeLeaving(
		busy ? 'The answer is shown once and is still on its way. Leave without it?' : undefined,
	)
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
			onClose={close ?? (() => element.current?.showModal())}
			onCancel={(event) => {
				if (!close) event.preventDefault()
			}}
		>
			<header>
				<h2>{title}</h2>
				{onClose && (
					<Button
						kind="quiet"
						icon="close"
						label="Close"
						disabled={busy}
						onClick={() => element.current?.close()}
					/>
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
	/** Its answer is shown once. */
	once?: boolean
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
	once,
	busy,
	error,
	onConfirm,
	onClose,
}: ConfirmProps) {
	const footer = (
		<>
			<Button disabled={once && busy} onClick={onClose}>
				{keep}
			</Button>
			<Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy}>
				{action}
			</Button>
		</>
	)
	return (
		<Dialog title={title} onClose={onClose} onSubmit={onConfirm} busy={once && busy} footer={footer}>
			{children}
			<Failure of={error} />
		</Dialog>
	)
}
