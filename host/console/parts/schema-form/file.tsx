import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { useAction } from '../../data/action.ts'
import { reasonOf } from '../../data/client.ts'
import { count } from '../../data/format.ts'
import { Button } from '../button.tsx'
import { Field } from '../field.tsx'
import { Draft } from './draft.ts'
import { fileRuleOf, isObject, type Schema } from './schema.ts'

/** Stores a file and answers with its reference. Null: the form is for what holds no file. */
export const Uploading = createContext<((file: File) => Promise<object>) | null>(null)

interface FileFieldProps {
	label: string
	hint: string
	fault: string | undefined
	schema: Schema
	value: unknown
	change(value: unknown): void
}

/** A file is stored as soon as it is chosen; the form's value is its reference. */
export function FileField({ label, hint, fault, schema, value, change }: FileFieldProps) {
	const upload = useContext(Uploading)
	// The form goes on while the bytes are under way: what stands in it by then is what is changed.
	const latest = useRef(change)
	useEffect(() => {
		latest.current = change
	})
	const storing = useAction(async (file: File) => {
		latest.current(new Draft(file.name, 'is still being uploaded'))
		try {
			const stored = await upload?.(file)
			latest.current(stored)
		} catch (error) {
			latest.current(undefined)
			throw error
		}
	})
	const wrong = storing.error === undefined ? fault : reasonOf(storing.error)
	return (
		<Field label={label} hint={upload ? hint : 'A file cannot be given here.'} fault={wrong}>
			{(attributes) => (
				<>
					<input
						{...attributes}
						type="file"
						accept={fileRuleOf(schema)?.accept.join(',') ?? ''}
						disabled={!upload || storing.busy}
						onChange={({ currentTarget }) => {
							const [file] = currentTarget.files ?? []
							// The same file may be chosen again.
							currentTarget.value = ''
							if (file) void storing.run(file)
						}}
					/>
					<Held {...{ label, value, change }} busy={storing.busy} />
				</>
			)}
		</Field>
	)
}

function Held({
	label,
	value,
	busy,
	change,
}: Pick<FileFieldProps, 'label' | 'value' | 'change'> & { busy: boolean }) {
	if (busy && value instanceof Draft) return <p role="status">{value.text} is being uploaded</p>
	if (!isObject(value) || value instanceof Draft) return null
	const { file, name = file, type, size } = value
	return (
		<p>
			{String(name)}{' '}
			{typeof size === 'number' && (
				<span class="soft">
					{String(type)}, {count(size)} bytes
				</span>
			)}
			<Button kind="quiet" small icon="close" label={`Remove ${label}`} onClick={() => change(undefined)} />
		</p>
	)
}
