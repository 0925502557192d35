import type { HostCalls, MemoryChange, MemoryRefusal } from '../../wire/host-calls.ts'

type MemoryCalls = Pick<HostCalls, 'memory.list' | 'memory.read' | 'memory.write' | 'memory.delete'>

const refused = (code: MemoryRefusal['code'], message: string) => ({ refused: { code, message } })
const size = (content: string) => Buffer.byteLength(content)

/** Memory as the host keeps it: one version a write. */
export function trialMemory(files: Record<string, string>) {
	const held = new Map(Object.entries(files).map(([path, content], i) => [path, { content, version: i + 1 }]))
	let writes = held.size

	const change = ({ path, expected }: MemoryChange, content: string | null) => {
		const file = held.get(path)
		if (/^\/|^$|(^|\/)\.\.?(\/|$)/.test(path))
			return refused('invalid_request', `${path} is no path of memory.`)
		if (content === null && !file) return refused('not_found', `There is no ${path} in memory.`)
		if (expected !== undefined && expected !== (file?.version ?? 0))
			return refused('conflict', `${path} has changed: it is at version ${file?.version ?? 0}.`)
		const version = ++writes
		if (content === null) held.delete(path)
		else held.set(path, { content, version })
		return { version, size: size(content ?? '') }
	}
	const calls: MemoryCalls = {
		'memory.list': ({ path }) => ({
			entries: [...held]
				.filter(([name]) => path === '' || name === path || name.startsWith(`${path}/`))
				.map(([name, { content, version }]) => ({ path: name, size: size(content), version })),
		}),
		'memory.read': ({ path }) => held.get(path) ?? refused('not_found', `There is no ${path} in memory.`),
		'memory.write': (args) => change(args, args.content),
		'memory.delete': (args) => change(args, null),
	}
	return {
		calls,
		files: () => Object.fromEntries([...held].map(([path, { content }]) => [path, content])),
	}
}
