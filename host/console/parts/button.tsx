import { useSignal } from '@preact/signals'
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface Looks {
	/** `primary`: the one action of a page. `danger`: ends or erases something. `quiet`: without an edge. */
	kind?: 'primary' | 'danger' | 'quiet' | undefined
	icon?: IconName | undefined
	small?: boolean | undefined
	children?: ComponentChildren
}

type ButtonProps = Looks & {
	/** While it works: it takes no second click, and keeps its width. */
	busy?: boolean | undefined
	/** Needed where there is an icon alone. */
	label?: string | undefined
	/** Of one among several, which is chosen. */
	pressed?: boolean | undefined
} & Pick<ButtonHTMLAttributes, 'onClick' | 'disabled' | 'form' | 'title'> & {
		type?: 'button' | 'submit'
	}

const classes = ({ kind, small }: Looks) => `button ${kind ?? ''} ${small ? 'small' : ''}`.trim()

export function Button({ busy, label, pressed, icon, children, type = 'button', ...rest }: ButtonProps) {
	const { kind, small, disabled, onClick, ...attributes } = rest
	const focused = useSignal(false)
	const off = Boolean(disabled || busy)
	return (
		<button
			{...attributes}
			type={type}
			class={classes({ kind, small })}
			aria-label={label}
			title={attributes.title ?? label}
			aria-busy={busy}
			aria-pressed={pressed}
			// A browser takes the focus away from a button that is disabled.
			disabled={off && !focused.value}
			aria-disabled={off}
			onFocus={() => {
				focused.value = true
			}}
			onBlur={() => {
				focused.value = false
			}}
			onClick={(event) => (off ? event.preventDefault() : onClick?.(event))}
		>
			{icon && <Icon name={icon} />}
			{children && <span>{children}</span>}
		</button>
	)
}

/** Looks like a button and goes somewhere. */
export function LinkButton({ href, icon, kind, small, children }: Looks & { href: string }) {
	return (
		<a href={href} class={classes({ kind, small })}>
			{icon && <Icon name={icon} />}
			<span>{children}</span>
		</a>
	)
}
