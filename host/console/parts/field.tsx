import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useComplaint } from './complaint.ts'

interface FieldProps {
	label: string
	hint?: ComponentChildren
	/** Why what is in it cannot be taken. */
	fault?: string | undefined
	children(attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }): ComponentChildren
}

/** A label, its input, what to know about it, and what is wrong with it: tied together for everybody. */
export function Field({ label, hint, fault, children }: FieldProps) {
	const id = useId()
	return (
		<div class={`field ${fault ? 'faulty' : ''}`}>
			<label for={id}>{label}</label>
			{children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': fault !== undefined })}
			<div id={`${id}-hint`} class="hint">
				{fault && <span class="fault">{fault} </span>}
				{hint && <span>{hint}</span>}
			</div>
		</div>
	)
}

type TextProps = Omit<FieldProps, 'children'> & {
	value: string
	onText(text: string): void
	/** `password`: shown as dots, and never kept by the browser. */
	type?: 'text' | 'password' | 'number' | 'email' | 'url' | 'date' | 'datetime-local'
	placeholder?: string
	autoComplete?: string
	required?: boolean
	autoFocus?: boolean
	maxLength?: number
	min?: number
	max?: number
	step?: string
}

/** One line of text. A form that it is in is not sent while the browser cannot read it. */
export function TextField({ label, hint, fault, value, onText, type = 'text', ...rest }: TextProps) {
	const complaint = useComplaint()
	return (
		<Field label={label} hint={hint} fault={complaint.fault ?? fault}>
			{(attributes) => (
				<input
					{...rest}
					{...attributes}
					type={type as 'text'}
					value={value}
					onInput={(event) => {
						onText(event.currentTarget.value)
						complaint.look(event)
					}}
					onKeyUp={complaint.look}
					onBlur={complaint.look}
					onInvalid={complaint.refuse}
					spellcheck={false}
				/>
			)}
		</Field>
	)
}

type ChoiceProps = Omit<FieldProps, 'children'> & {
	value: string
	options: { value: string; label: string }[]
	onChoice(value: string): void
}

export function ChoiceField({ label, hint, fault, value, options, onChoice }: ChoiceProps) {
	return (
		<Field label={label} hint={hint} fault={fault}>
			{(attributes) => (
				<select {...attributes} value={value} onChange={(event) => onChoice(event.currentTarget.value)}>
					{options.map((option) => (
						<option key={option.value} value={option.value}>
							{option.label}
						</option>
					))}
				</select>
			)}
		</Field>
	)
}

/** A box to tick, with what it stands for beside it. */
export function CheckField({
	label,
	checked,
	onCheck,
}: {
	label: string
	checked: boolean
	onCheck(checked: boolean): void
}) {
	return (
		<label class="check">
			<input type="checkbox" checked={checked} onChange={(event) => onCheck(event.currentTarget.checked)} />
			{label}
		</label>
	)
}

interface ChecksProps {
	label: string
	options: { value: string; label: string }[]
	value: string[]
	onValue(value: string[]): void
	hint?: ComponentChildren
	fault?: string | undefined
}

/** Any number of a few. */
export function ChecksField({ label, options, value, onValue, hint, fault }: ChecksProps) {
	return (
		<fieldset class={`field ${fault ? 'faulty' : ''}`}>
			<legend>{label}</legend>
			{options.map((option) => (
				<CheckField
					key={option.value}
					label={option.label}
					checked={value.includes(option.value)}
					onCheck={(checked) => {
						const rest = value.filter((one) => one !== option.value)
						onValue(checked ? [...rest, option.value] : rest)
					}}
				/>
			))}
			<div class="hint">
				{fault && <span class="fault">{fault} </span>}
				{hint}
			</div>
		</fieldset>
	)
}
