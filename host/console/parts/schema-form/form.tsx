import './form.css'
import { useSignal } from '@preact/signals'
import { Button } from '../button.tsx'
import { Draft, draftFaults, readJson, writeJson } from './draft.ts'
import { Properties, Typed } from './fields.tsx'
import { initialOf, isObject, propertiesOf, type Schema } from './schema.ts'

export interface FormValue {
	schema: Schema
	/** With what cannot be read yet. */
	value: unknown
	faults: Record<string, string>
	change(value: unknown): void
	/** What the form says, or null where something in it cannot be read; the form then shows what. */
	ready(): Record<string, unknown> | null
}

/** What stands in a form, kept by the page: nothing that was typed is lost when the form is not shown for a while. */
export function useFormValue(schema: Schema, initially?: unknown): FormValue {
	const value = useSignal<unknown>(initially ?? initialOf(schema, schema) ?? {})
	const tried = useSignal(false)
	const faultsOf = (of: unknown) =>
		isObject(of) && !(of instanceof Draft) ? draftFaults(of) : { '': notObject(of) }
	return {
		schema,
		value: value.value,
		faults: tried.value ? faultsOf(value.value) : {},
		change(changed) {
			value.value = changed
		},
		ready() {
			tried.value = true
			const now = value.peek()
			return isObject(now) && Object.keys(faultsOf(now)).length === 0 ? now : null
		},
	}
}

const notObject = (value: unknown) => (value instanceof Draft ? value.fault : 'is no JSON object')

/**
 * A form made from a JSON schema, with the same as JSON for whoever wants that. `faults`: what the host said, by pointer;
 * `prefix` is what its pointers begin with.
 */
export function SchemaForm({
	of,
	faults,
	prefix = '/inputs',
}: {
	of: FormValue
	faults: Record<string, string>
	prefix?: string
}) {
	const json = useSignal(false)
	const { schema, value, change } = of
	const all = { ...withoutPrefix(faults, prefix), ...of.faults }
	const known = Object.keys(propertiesOf(schema)).length > 0
	const asFields = known && !json.value && isObject(value) && !(value instanceof Draft)
	const shown = Object.entries(all).filter(([pointer]) => !asFields || pointer === '')
	return (
		<div class="schema-form">
			{asFields ? (
				<Properties {...{ schema, value, change }} root={schema} pointer="" depth={0} faults={all} />
			) : (
				<Typed
					label="Inputs as JSON"
					hint={known ? '' : 'The agent names no inputs of its own.'}
					fault={shown.map(([pointer, message]) => `${pointer} ${message}`.trim()).join('; ') || undefined}
					value={value}
					placeholder="{}"
					read={readJson}
					write={writeJson}
					change={(changed) => change(changed === undefined ? {} : changed)}
					long
				/>
			)}
			{asFields && all[''] && <p class="fault small">{all['']}</p>}
			{known && (
				<div>
					<Button
						kind="quiet"
						small
						disabled={json.value && !asFields && (!isObject(value) || value instanceof Draft)}
						onClick={() => {
							json.value = !json.value
						}}
					>
						{json.value ? 'Edit as a form' : 'Edit as JSON'}
					</Button>
				</div>
			)}
		</div>
	)
}

function withoutPrefix(faults: Record<string, string>, prefix: string): Record<string, string> {
	return Object.fromEntries(
		Object.entries(faults)
			.filter(([pointer]) => pointer === prefix || pointer.startsWith(`${prefix}/`))
			.map(([pointer, message]) => [pointer.slice(prefix.length), message]),
	)
}
