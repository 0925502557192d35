import { useSignal } from '@preact/signals'
import type { TargetedEvent } from 'preact'

type Read = Pick<HTMLInputElement, 'type' | 'required' | 'min' | 'max'> & {
	validity: Partial<ValidityState>
	validationMessage: string
}

/** Why the browser does not take what is in a field. Empty: it does. */
export function complaintOf({ type, required, min, max, validity, validationMessage }: Read): string {
	if (validity.valid) return ''
	if (validity.badInput) {
		const or = required ? '.' : ', or empty the field.'
		if (type === 'number') return `This is not a number. Type digits, as in 1000 or 2.5${or}`
		if (type === 'date') return `The date is not complete. Fill in day, month and year${or}`
		return `Date or time is not complete. Fill in both${or}`
	}
	if (validity.valueMissing) return type === 'number' ? 'Type a number. 0 is a number, too.' : 'Fill this in.'
	if (validity.rangeUnderflow || validity.rangeOverflow) return `Type a number from ${min} to ${max}.`
	if (validity.stepMismatch && type === 'number') return 'Type a whole number.'
	if (validity.typeMismatch && type === 'url')
		return 'This is not a web address. Type one, as in https://example.com/path.'
	if (validity.typeMismatch && type === 'email')
		return 'This is not an e-mail address. Type one, as in name@example.com.'
	return validationMessage
}

/** Refuses a form at the field, in our words, in place of the browser's bubble. */
export function useComplaint() {
	const said = useSignal('')
	// A date that is half typed changes without an `input` event.
	const look = ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
		if (said.peek() !== '') said.value = complaintOf(currentTarget)
	}
	return {
		fault: said.value || undefined,
		look,
		refuse(event: TargetedEvent<HTMLInputElement>) {
			event.preventDefault()
			const field = event.currentTarget
			said.value = complaintOf(field)
			if (field.form?.querySelector(':is(input, select, textarea):invalid') === field) field.focus()
		},
	}
}
