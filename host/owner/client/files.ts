import { StoredFile } from '../../api/files.ts'
import type { Http } from './http.ts'

const UPLOAD_TIMEOUT_MS = 150_000

/** Files for runs of one deployment. */
export function fileCalls(http: Http) {
	return {
		/** `url`: of the deployment. */
		upload: (url: string, bytes: Uint8Array, { name, type }: { name: string; type?: string | undefined }) =>
			http.json(StoredFile, {
				method: 'POST',
				url: `${url}/files`,
				query: { name },
				body: bytes,
				headers: { 'Content-Type': type ?? 'application/octet-stream' },
				timeoutMs: UPLOAD_TIMEOUT_MS,
			}),
		/** The bytes, also of a file that a run made. */
		download: async (url: string, file: string) =>
			(await http.send({ method: 'GET', url: `${url}/files/${encodeURIComponent(file)}` })).blob(),
	}
}
