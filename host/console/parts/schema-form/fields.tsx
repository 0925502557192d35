import { useSignal } from '@preact/signals'
import { Button } from '../button.tsx'
import { ChoiceField, Field, TextField } from '../field.tsx'
import { readJson, readNumber, writeJson, writeNumber } from './draft.ts'
import { FileField } from './file.tsx'
import {
	choicesOf,
	exampleOf,
	hintOf,
	initialOf,
	isObject,
	isRequired,
	kindOf,
	propertiesOf,
	resolved,
	type Schema,
	step,
} from './schema.ts'

export interface Place {
	schema: unknown
	root: Schema
	/** Of the property, or the number of the item. */
	name: string
	pointer: string
	required: boolean
	depth: number
	value: unknown
	/** By pointer. */
	faults: Record<string, string>
	/** Undefined: left out. */
	change(value: unknown): void
}

/** The input for one place of the schema. */
export function SchemaField(place: Place) {
	const schema = resolved(place.schema, place.root)
	const { required, pointer, value, faults, change } = place
	const title = typeof schema.title === 'string' ? schema.title : place.name
	const common = {
		label: required ? title : `${title} (optional)`,
		hint: hintOf(schema),
		fault: faults[pointer],
	}
	const text = {
		value: typeof value === 'string' ? value : writeJson(value),
		placeholder: exampleOf(schema) ?? '',
	}
	// Where something must stand, the empty text is something.
	const type = (typed: string) => change(typed === '' && !required ? undefined : typed)
	switch (kindOf(schema, place.depth)) {
		case 'line':
			return <TextField {...common} {...text} onText={type} />
		case 'text':
			return (
				<Field {...common}>
					{(attributes) => (
						<textarea
							{...attributes}
							{...text}
							rows={2}
							onInput={(event) => type(event.currentTarget.value)}
						/>
					)}
				</Field>
			)
		case 'number':
			return (
				<Typed
					{...common}
					value={value}
					placeholder={text.placeholder}
					read={readNumber}
					write={writeNumber}
					change={change}
				/>
			)
		case 'boolean':
			return <Switch {...common} required={required} value={value} change={change} />
		case 'choice':
			return <Choice {...common} choices={choicesOf(schema) ?? []} value={value} change={change} />
		case 'list':
			return <List {...place} schema={schema} title={common.label} hint={common.hint} />
		case 'object':
			return <Members {...place} schema={schema} title={common.label} hint={common.hint} />
		case 'file':
			return <FileField {...common} {...{ schema, value, change }} />
		case 'json':
			return (
				<Typed
					{...common}
					fault={within(faults, pointer)}
					value={value}
					placeholder={text.placeholder || 'JSON'}
					read={readJson}
					write={writeJson}
					change={change}
					long
				/>
			)
	}
}

/** What is wrong at the place and below it: its JSON has one input for all of that. */
function within(faults: Record<string, string>, pointer: string): string | undefined {
	const found = Object.entries(faults).filter(([path]) => path === pointer || path.startsWith(`${pointer}/`))
	return (
		found.map(([path, message]) => `${path.slice(pointer.length)} ${message}`.trim()).join('; ') || undefined
	)
}

interface TypedProps {
	label: string
	hint: string
	fault: string | undefined
	value: unknown
	placeholder: string
	read(text: string): unknown
	write(value: unknown): string
	change(value: unknown): void
	long?: boolean
}

/** Keeps what was typed as it was typed (`1.0`, white space) while it means the value. */
export function Typed({ label, hint, fault, value, placeholder, read, write, change, long }: TypedProps) {
	const typed = useSignal(write(value))
	const shown = write(read(typed.value)) === write(value) ? typed.value : write(value)
	const onText = (text: string) => {
		typed.value = text
		change(read(text))
	}
	return (
		<Field label={label} hint={hint} fault={fault}>
			{(attributes) =>
				long ? (
					<textarea
						{...attributes}
						class="mono"
						rows={3}
						spellcheck={false}
						placeholder={placeholder}
						value={shown}
						onInput={(event) => onText(event.currentTarget.value)}
					/>
				) : (
					<input
						{...attributes}
						inputMode="decimal"
						placeholder={placeholder}
						value={shown}
						onInput={(event) => onText(event.currentTarget.value)}
					/>
				)
			}
		</Field>
	)
}

interface ChoiceProps {
	label: string
	hint: string
	fault: string | undefined
	value: unknown
	change(value: unknown): void
}

function Choice({ choices, value, change, ...common }: ChoiceProps & { choices: unknown[] }) {
	const spelled = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)))
	const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value))
	return (
		<ChoiceField
			{...common}
			value={at === -1 ? '' : String(at)}
			options={[
				...(at === -1 || common.label.endsWith('(optional)') ? [{ value: '', label: '–' }] : []),
				...spelled.map((label, i) => ({ value: String(i), label })),
			]}
			onChoice={(chosen) => change(chosen === '' ? undefined : choices[Number(chosen)])}
		/>
	)
}

function Switch({ required, value, change, ...common }: ChoiceProps & { required: boolean }) {
	// Left out is a third answer.
	if (!required && typeof value !== 'boolean')
		return <Choice {...common} choices={[true, false]} value={value} change={change} />
	return (
		<Field {...common}>
			{(attributes) => (
				<input
					{...attributes}
					type="checkbox"
					checked={value === true}
					onChange={(event) => change(event.currentTarget.checked)}
				/>
			)}
		</Field>
	)
}

type GroupProps = Place & { schema: Schema; title: string; hint: string }

function Members({ schema, root, title, hint, pointer, depth, value, faults, required, change }: GroupProps) {
	return (
		<fieldset class="group">
			<legend>{title}</legend>
			<GroupHint hint={hint} fault={faults[pointer]} />
			<Properties
				{...{ schema, root, pointer, depth, faults, value }}
				change={(changed) => change(!required && Object.keys(changed).length === 0 ? undefined : changed)}
			/>
		</fieldset>
	)
}

type PropertiesProps = Pick<Place, 'root' | 'pointer' | 'depth' | 'faults' | 'value'> & {
	schema: Schema
	change(value: Record<string, unknown>): void
}

/** Members that the schema does not name stay as they are. */
export function Properties({ schema, root, pointer, depth, faults, value, change }: PropertiesProps) {
	const members = isObject(value) ? value : {}
	return (
		<>
			{Object.entries(propertiesOf(schema)).map(([name, property]) => (
				<SchemaField
					key={name}
					{...{ root, name, faults }}
					schema={property}
					pointer={step(pointer, name)}
					required={isRequired(schema, name)}
					depth={depth + 1}
					value={members[name]}
					change={(changed) => {
						const { [name]: _, ...others } = members
						change(changed === undefined ? others : { ...members, [name]: changed })
					}}
				/>
			))}
		</>
	)
}

function List({ schema, root, title, hint, pointer, depth, value, faults, required, change }: GroupProps) {
	const items = Array.isArray(value) ? value : []
	const put = (changed: unknown[]) => change(changed.length === 0 && !required ? undefined : changed)
	return (
		<fieldset class="group">
			<legend>{title}</legend>
			<GroupHint hint={hint} fault={faults[pointer]} />
			{items.map((item, i) => (
				<div class="item" key={i}>
					<SchemaField
						{...{ root, faults }}
						schema={schema.items}
						name={`${i + 1}`}
						pointer={step(pointer, i)}
						required
						depth={depth + 1}
						value={item}
						change={(changed) => put(items.with(i, changed === undefined ? null : changed))}
					/>
					<Button
						kind="quiet"
						small
						icon="close"
						label={`Remove item ${i + 1}`}
						onClick={() => put(items.toSpliced(i, 1))}
					/>
				</div>
			))}
			<div>
				<Button
					small
					icon="plus"
					onClick={() => put([...items, initialOf(schema.items, root) ?? emptyOf(schema.items, root)])}
				>
					Add item
				</Button>
			</div>
		</fieldset>
	)
}

/** An item is there as soon as it is added. */
function emptyOf(given: unknown, root: Schema): unknown {
	const kind = kindOf(resolved(given, root), 0)
	return kind === 'line' || kind === 'text' ? '' : null
}

function GroupHint({ hint, fault }: { hint: string; fault: string | undefined }) {
	return (
		<div class="hint">
			{fault && <span class="fault">{fault} </span>}
			{hint}
		</div>
	)
}
