/** Files as messages name them. Their bytes are with the host; a run reaches those that it has. */

export interface FileInfo {
	file: string
	name: string
	/** Media type, as its bytes say. */
	type: string
	size: number
	/** Hex digits. */
	sha256: string
}

/** Of one `files.chunk`; the last of a file is shorter. */
export const FILE_CHUNK_BYTES = 1024 * 1024

export interface FileHostCalls {
	/** Of those that the run has; `url`: where a caller finds the bytes. */
	'files.info': (a: { run: string; files: string[] }) => { files: (FileInfo & { url: string })[] }
	'files.chunk': (a: { run: string; file: string; n: number }) => Uint8Array
	/** One effect makes a file once: executed again, it is the same. Rejects `fenced`. */
	'files.put': (a: {
		run: string
		epoch: number
		effect: number
		position: number
		name: string
		type: string
		base64: string
	}) => { file: FileInfo } | { refused: string }
}
