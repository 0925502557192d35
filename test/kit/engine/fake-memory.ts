import type { HostCalls } from '../../../runtime/wire/host-calls.ts'

type Calls = Pick<HostCalls, 'memory.list' | 'memory.read' | 'memory.write' | 'memory.delete'>

/** Memory as the host keeps it: one version a write, one write an effect. */
export function fakeMemory(files: Record<string, string> = {}): Calls {
	const held = new Map(Object.entries(files).map(([path, content], i) => [path, { content, version: i + 1 }]))
	const done = new Map<string, { version: number; size: number }>()
	let writes = held.size
	const change: Calls['memory.delete'] & Calls['memory.write'] = (args: {
		path: string
		expected: number | undefined
		run: string
		effect: number
		content?: string
	}) => {
		const { path, expected, run, effect, content } = args
		const before = done.get(`${run} ${effect}`)
		if (before) return before
		const file = held.get(path)
		if (path.startsWith('..')) return { refused: { code: 'invalid_request', message: 'no path' } }
		if (content === undefined && !file) return { refused: { code: 'not_found', message: 'no file' } }
		if (expected !== undefined && expected !== (file?.version ?? 0))
			return { refused: { code: 'conflict', message: 'another version' } }
		const answer = { version: ++writes, size: Buffer.byteLength(content ?? '') }
		if (content === undefined) held.delete(path)
		else held.set(path, { content, version: answer.version })
		done.set(`${run} ${effect}`, answer)
		return answer
	}
	return {
		'memory.list': ({ path }) => ({
			entries: [...held]
				.filter(([name]) => path === '' || name === path || name.startsWith(`${path}/`))
				.map(([name, { content, version }]) => ({ path: name, size: Buffer.byteLength(content), version })),
		}),
		'memory.read': ({ path }) =>
			held.get(path) ?? { refused: { code: 'not_found', message: `There is no ${path} in memory.` } },
		'memory.write': change,
		'memory.delete': change,
	}
}
