import type { VersionDetail } from '../../../../owner/client/index.ts'

/** One thing that differs, in words. An absent side: it is not there. */
export interface Change {
	what: string
	before?: string
	after?: string
}

export interface Changes {
	/** Empty ones are left out. */
	groups: { title: string; changes: Change[] }[]
	/** To be shown line by line. */
	texts: { title: string; before: string; after: string }[]
}

/** What differs between two versions, by what it means for the agent. */
export function changesOf(before: VersionDetail, after: VersionDetail): Changes {
	const groups = [
		{ title: 'Agent', changes: members(pick(before), pick(after)) },
		{ title: 'Model', changes: members(modelOf(before), modelOf(after)) },
		{ title: 'Models by name', changes: members(flat(before.models), flat(after.models)) },
		{ title: 'Limits', changes: members(before.limits, after.limits) },
		{ title: 'Connectors and scopes', changes: connectorChanges(before, after) },
		{ title: 'Tools', changes: toolChanges(before, after) },
		{ title: 'HTTP', changes: members(httpOf(before), httpOf(after)) },
		{ title: 'Inputs', changes: members(flat(before.inputs), flat(after.inputs)) },
		{ title: 'Output', changes: members(flat(before.output), flat(after.output)) },
		{ title: 'Skills', changes: members(skillsOf(before), skillsOf(after)) },
		{ title: 'Files', changes: fileChanges(before, after) },
	].filter(({ changes }) => changes.length > 0)
	const skills = before.skills.flatMap(({ name, text }) => {
		const other = after.skills.find((one) => one.name === name)
		// Where a text is too long to be sent, its file says that it is another.
		if (text === null || !other || other.text === null) return []
		return [{ title: `Skill ${name}`, before: text, after: other.text }]
	})
	const texts = [{ title: 'Prompt', before: before.prompt.text, after: after.prompt.text }, ...skills].filter(
		(text) => text.before !== text.after,
	)
	return { groups, texts }
}

const pick = ({ name, description }: VersionDetail) => ({ name, description })
const modelOf = ({ model: { provider, name, options } }: VersionDetail) => ({
	provider,
	name,
	...flat(options),
})
const skillsOf = ({ skills }: VersionDetail) =>
	Object.fromEntries(skills.map(({ name, description }) => [name, description]))

const httpOf = ({ http }: VersionDetail) =>
	Object.fromEntries(
		Object.entries(http).flatMap(([origin, { methods, ...settings }]) => [
			[origin, Array.isArray(methods) ? methods.join(', ') : ''],
			...Object.entries(flat(settings)).map(([name, value]) => [`${origin}: ${name}`, value]),
		]),
	)

function connectorChanges(before: VersionDetail, after: VersionDetail): Change[] {
	const told = ({ connectors }: VersionDetail) =>
		Object.fromEntries(
			connectors.flatMap(({ connector, auth, scopes, settings }) => [
				[connector, `sign-in: ${auth}`],
				...scopes.map((scope) => [`${connector}: scope ${scope}`, '']),
				...Object.entries(flat(settings)).map(([name, value]) => [`${connector}: ${name}`, value]),
			]),
		)
	return members(told(before), told(after))
}

function toolChanges(before: VersionDetail, after: VersionDetail): Change[] {
	const told = ({ connectors, tools }: VersionDetail) => ({
		...Object.fromEntries(
			connectors.flatMap(({ connector, tools: required }) =>
				required.map(({ name, approval, screen, idempotent }) => [
					`${name} of ${connector}`,
					[
						approval ? 'a person decides about each call' : 'called without asking',
						...(screen ? ['its answers are screened'] : []),
						...(idempotent ? ['may be repeated'] : []),
					].join(', '),
				]),
			),
		),
		...flat(tools),
	})
	return members(told(before), told(after))
}

function fileChanges(before: VersionDetail, after: VersionDetail): Change[] {
	const told = ({ files }: VersionDetail) => new Map(files.map((file) => [file.path, file]))
	const [a, b] = [told(before), told(after)]
	return [...new Set([...a.keys(), ...b.keys()])].sort().flatMap((path) => {
		const [old, now] = [a.get(path), b.get(path)]
		if (old?.sha256 === now?.sha256) return []
		return [
			{
				what: path,
				...(old && { before: `${old.bytes} bytes` }),
				...(now && { after: `${now.bytes} bytes` }),
			},
		]
	})
}

/** By name, of two objects whose values are not objects. */
function members(before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
	const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
	return names.flatMap((what) => {
		const [a, b] = [written(before[what]), written(after[what])]
		if (a === b) return []
		return [{ what, ...(a !== undefined && { before: a }), ...(b !== undefined && { after: b }) }]
	})
}

function written(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined
	return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `properties.city.type`: every leaf by its path. */
function flat(value: unknown, path = ''): Record<string, unknown> {
	if (value === null) return {}
	if (typeof value !== 'object' || Array.isArray(value)) return { [path]: value }
	const inner = Object.entries(value)
	if (inner.length === 0 && path !== '') return { [path]: {} }
	return Object.assign({}, ...inner.map(([name, one]) => flat(one, path === '' ? name : `${path}.${name}`)))
}
