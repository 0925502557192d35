import { useId } from 'preact/hooks'
import { Field } from '../../../parts/field.tsx'

/** Any IANA name can be typed; those the browser knows are offered. */
export function ZoneField({
	value,
	onText,
	fault,
}: {
	value: string
	onText(text: string): void
	fault?: string | undefined
}) {
	const list = useId()
	return (
		<Field label="Time zone" fault={fault} hint="As in Europe/Berlin.">
			{(attributes) => (
				<>
					<input
						{...attributes}
						type="text"
						list={list}
						spellcheck={false}
						value={value}
						onInput={(event) => onText(event.currentTarget.value)}
					/>
					<datalist id={list}>
						{['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
							<option key={zone} value={zone} />
						))}
					</datalist>
				</>
			)}
		</Field>
	)
}
