/**
 * The `memory` tool of the standard loop, in the shape of the providers' own: commands over files below `/memories`.
 * An edit is made from what is there at that moment, so that two runs that edit one file both keep their part.
 */
import { EffectFailure, effect } from './bridge.ts'
import type { LocalTool, RunState } from './state.ts'

const ROOT = '/memories'
/** Of an edit that others come before; each time one of them has got through. */
const ATTEMPTS = 50

const text = { type: 'string' }

export const memoryTool = (of: RunState): LocalTool => ({ ...tool, run: (input: Input) => answer(of, input) })

const tool = {
	description: [
		`Files that are kept from one run to the next, below ${ROOT}. Look there before you begin, and write down what later runs should know.`,
		`view: a folder's files, or a file with line numbers (view_range: first and last line). create: a new file, or one you have viewed, from file_text.`,
		'str_replace: old_str, which must occur once, becomes new_str. insert: insert_text after line insert_line (0: at the top).',
		'delete: a file or folder. rename: old_path becomes new_path.',
	].join('\n'),
	input: {
		type: 'object',
		required: ['command'],
		additionalProperties: false,
		properties: {
			command: { enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
			path: { type: 'string', description: `Begins with ${ROOT}.` },
			view_range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
			file_text: text,
			old_str: text,
			new_str: text,
			insert_line: { type: 'integer', minimum: 0 },
			insert_text: text,
			old_path: text,
			new_path: text,
		},
	},
}

interface Input {
	command: keyof typeof commands
	path?: string
	view_range?: [number, number]
	file_text?: string
	old_str?: string
	new_str?: string
	insert_line?: number
	insert_text?: string
	old_path?: string
	new_path?: string
}

/** The runtime has checked the command against the schema before. */
function answer(run: RunState, input: Input): Promise<string> {
	if (!Object.hasOwn(commands, input.command)) throw new Error('There is no such command.')
	return commands[input.command](run, input)
}

const commands = {
	async view(run: RunState, { path: shown = ROOT, view_range }: Input) {
		const path = inside(shown)
		const { entries } = await effect(run, 'memory.list', { path })
		if (entries.some((entry) => entry.path === path)) {
			return numbered((await effect(run, 'memory.read', { path })).content, view_range)
		}
		if (entries.length === 0 && path !== '') throw new Error(`There is no ${shown}.`)
		const lines = entries.map((entry) => `${entry.size}\t${ROOT}/${entry.path}`)
		return [`Bytes and paths of the files in ${shown}:`, ...lines].join('\n')
	},
	async create(run: RunState, { path, file_text }: Input) {
		const content = given(file_text, 'file_text')
		await effect(run, 'memory.write', { path: below(given(path, 'path')), content })
		return `${path} is written.`
	},
	async str_replace(run: RunState, { path, old_str, new_str = '' }: Input) {
		const old = given(old_str, 'old_str')
		if (old === '') throw new Error('old_str is empty.')
		await edit(run, below(given(path, 'path')), (content) => {
			const parts = content.split(old)
			if (parts.length === 1) throw new Error(`old_str does not occur in ${path}; nothing was changed.`)
			if (parts.length > 2)
				throw new Error(`old_str occurs ${parts.length - 1} times in ${path}; nothing was changed.`)
			return parts.join(new_str)
		})
		return `${path} is edited.`
	},
	async insert(run: RunState, { path, insert_line, insert_text }: Input) {
		const line = given(insert_line, 'insert_line')
		const added = given(insert_text, 'insert_text')
		await edit(run, below(given(path, 'path')), (content) => {
			const lines = content === '' ? [] : content.split('\n')
			if (line > lines.length) throw new Error(`${path} has ${lines.length} lines; nothing was changed.`)
			lines.splice(line, 0, added.endsWith('\n') ? added.slice(0, -1) : added)
			return lines.join('\n')
		})
		return `${path} is edited.`
	},
	async delete(run: RunState, { path }: Input) {
		const { entries } = await effect(run, 'memory.list', { path: below(given(path, 'path')) })
		if (entries.length === 0) throw new Error(`There is no ${path}.`)
		for (const entry of entries)
			await effect(run, 'memory.delete', { path: entry.path, version: entry.version })
		return `${path} is deleted.`
	},
	/** The new file is there before the old one goes; where another run wrote the old one meanwhile, both stay. */
	async rename(run: RunState, { old_path, new_path }: Input) {
		const from = below(given(old_path, 'old_path'))
		const to = below(given(new_path, 'new_path'))
		const { entries } = await effect(run, 'memory.list', { path: from })
		if (entries.length === 0) throw new Error(`There is no ${old_path}.`)
		for (const { path } of entries) {
			const { content, version } = await effect(run, 'memory.read', { path })
			await effect(run, 'memory.write', { path: to + path.slice(from.length), content, version: 0 })
			await effect(run, 'memory.delete', { path, version })
		}
		return `${old_path} is now ${new_path}.`
	},
}

async function edit(run: RunState, path: string, change: (content: string) => string): Promise<void> {
	for (let attempt = 1; ; attempt++) {
		const { content, version } = await effect(run, 'memory.read', { path })
		try {
			await effect(run, 'memory.write', { path, content: change(content), version })
			return
		} catch (error) {
			const late = error instanceof EffectFailure && error.code === 'conflict'
			if (!late || attempt === ATTEMPTS) throw error
		}
	}
}

/** The host's path of what the model names; what else it must not be, the host says. */
function inside(path: string): string {
	const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
	if (trimmed === ROOT) return ''
	if (!trimmed.startsWith(`${ROOT}/`)) throw new Error(`A path begins with ${ROOT}; ${path} does not.`)
	return trimmed.slice(ROOT.length + 1)
}

function below(path: string): string {
	const found = inside(path)
	if (found === '') throw new Error(`${ROOT} itself stays as it is.`)
	return found
}

function given<T>(value: T | undefined, name: string): T {
	if (value === undefined) throw new Error(`This command needs ${name}.`)
	return value
}

function numbered(content: string, [first, last]: [number, number] = [1, -1]): string {
	const lines = content.split('\n')
	const end = last === -1 ? lines.length : last
	return lines
		.slice(Math.max(first, 1) - 1, end)
		.map((line, i) => `${String(Math.max(first, 1) + i).padStart(6)}\t${line}`)
		.join('\n')
}
