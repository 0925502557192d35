import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { Sql } from '../db/index.ts'
import { type Changed, changeMemory } from './change.ts'
import { listMemory, readMemory } from './read.ts'
import { isStorable } from './rules.ts'

type Calls = 'memory.list' | 'memory.read' | 'memory.write' | 'memory.delete'

/** What runs ask of their deployment's memory. */
export function memoryHandlers(sql: Sql) {
	return {
		calls: {
			'memory.list': async ({ deployment, path }) => {
				const rows = isStorable(path) ? await listMemory(sql, deployment, path) : []
				return { entries: rows.map(({ path, size, version }) => ({ path, size, version })) }
			},
			'memory.read': async ({ deployment, path }) => {
				const file = isStorable(path) && (await readMemory(sql, deployment, path))
				if (file) return { content: file.content, version: file.version }
				return { refused: { code: 'not_found', message: `There is no ${path} in memory.` } }
			},
			'memory.write': async ({ deployment, path, content, expected, ...by }) =>
				answer(await changeMemory(sql, { deployment, path, content, expected, by })),
			'memory.delete': async ({ deployment, path, expected, ...by }) =>
				answer(await changeMemory(sql, { deployment, path, content: null, expected, by })),
		},
	} satisfies { calls: Pick<HostHandlers['calls'], Calls> }
}

function answer(changed: Changed) {
	if (!changed.ok) return { refused: { code: changed.code, message: changed.message } }
	return { version: changed.version, size: changed.size }
}
