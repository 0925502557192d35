import { type Document, resolve, type Schema } from './read.ts'

const enumMax = 12

/** A schema in words, its members below it. Members of members are opened one by one, so that circles end. */
export function SchemaView({ of, document, open }: { of: Schema; document: Document; open?: boolean }) {
	const { name, schema } = resolve(document, of)
	const members = Object.entries(schema.properties ?? {})
	const item = schema.items && resolve(document, schema.items)
	const inner = schema.items && item && hasMembers(item.schema) ? schema.items : undefined
	const words = [name, typeOf(document, schema), limitsOf(schema)].filter(Boolean).join(' · ')
	if (members.length === 0 && !inner)
		return (
			<span class="soft small">
				{words}
				{schema.description && ` – ${schema.description}`}
			</span>
		)
	const list = (
		<ul class="schema">
			{inner && (
				<li>
					<SchemaView of={inner} document={document} open />
				</li>
			)}
			{members.map(([key, member]) => (
				<li key={key}>
					<code class="name">{key}</code>
					{schema.required?.includes(key) && <span class="tag">required</span>}
					<SchemaView of={member} document={document} />
				</li>
			))}
		</ul>
	)
	if (open)
		return (
			<>
				<p class="soft small">{words}</p>
				{list}
			</>
		)
	return (
		<details class="inner">
			<summary class="soft small">{words}</summary>
			{list}
		</details>
	)
}

const hasMembers = ({ properties }: Schema) => Object.keys(properties ?? {}).length > 0

function typeOf(document: Document, schema: Schema): string {
	const { type, items, anyOf, oneOf, enum: values } = schema
	if (schema.const !== undefined) return JSON.stringify(schema.const)
	if (values)
		return values
			.slice(0, enumMax)
			.map((value) => JSON.stringify(value))
			.join(' | ')
	const options = anyOf ?? oneOf
	if (options)
		return options
			.map((option) => {
				const { name, schema: found } = resolve(document, option)
				return name ?? typeOf(document, found)
			})
			.join(' | ')
	if (items) {
		const { name, schema: found } = resolve(document, items)
		return `list of ${name ?? typeOf(document, found)}`
	}
	return Array.isArray(type) ? type.join(' | ') : (type ?? 'anything')
}

function limitsOf({ format, default: preset, minimum, maximum, maxLength }: Schema): string {
	return [
		format,
		minimum !== undefined && `from ${minimum}`,
		maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${maximum}`,
		maxLength !== undefined && `at most ${maxLength} characters`,
		preset !== undefined && `by default ${JSON.stringify(preset)}`,
	]
		.filter(Boolean)
		.join(', ')
}
