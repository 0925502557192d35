import { ErasedMemory, MemoryFile, MemoryList, MemoryVersions } from '../../api/memory.ts'
import type { Http } from './http.ts'

/**
 * The owner's side of a deployment's memory (spec memory.owner-edits). `version`: what must still be there, else it is
 * refused.
 */
export function memoryCalls(http: Http) {
	const at = (url: string, path: string, folder = 'memory') =>
		`${url}/${folder}/${path.split('/').map(encodeURIComponent).join('/')}`
	const ifVersion = (version: number | undefined): { headers: Record<string, string> } => ({
		headers: version === undefined ? {} : { 'If-Match': `"${version}"` },
	})
	return {
		list: (url: string) => http.json(MemoryList, { method: 'GET', url: `${url}/memory` }),
		get: (url: string, path: string, version?: number) =>
			http.json(MemoryFile, { method: 'GET', url: at(url, path), query: { version } }),
		put: (url: string, path: string, content: string, version?: number) =>
			http.json(MemoryFile, {
				method: 'PUT',
				url: at(url, path),
				body: { content },
				...ifVersion(version),
			}),
		/** Refused where there is a file of that name. */
		create: (url: string, path: string, content: string) =>
			http.json(MemoryFile, {
				method: 'PUT',
				url: at(url, path),
				body: { content },
				headers: { 'If-None-Match': '*' },
			}),
		remove: async (url: string, path: string, version?: number) =>
			void (await http.send({ method: 'DELETE', url: at(url, path), ...ifVersion(version) })),
		versions: (url: string, path: string) =>
			http.json(MemoryVersions, { method: 'GET', url: at(url, path, 'memory-versions') }),
		clear: (url: string) => http.json(ErasedMemory, { method: 'DELETE', url: `${url}/memory` }),
	}
}
