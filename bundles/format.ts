import { z } from 'zod'
import { type Agent, agentSchema } from './agent.ts'
import { canonicalJson, sha256 } from './canonical.ts'

/** The bundle file (spec bundle.zip, bundle.file-digests): a zip of `bundle.json` and the files it lists. */

export const FORMAT = 1
/** The oldest Berth that reads this format; written into each bundle, so that an older one can name it. */
export const FORMAT_READ_BY = '0.1.0'
export const MANIFEST_FILE = 'bundle.json'

export const PACKED_MAX_BYTES = 10 * 1024 * 1024
export const UNPACKED_MAX_BYTES = 50 * 1024 * 1024
export const FILES_MAX = 2000
/** 2,000 files with the longest paths, and the largest agent. */
export const MANIFEST_MAX_BYTES = 4 * 1024 * 1024

export const manifestSchema = z.strictObject({
	format: z.literal(FORMAT),
	berth: z.string().max(32),
	agent: agentSchema,
	/** The commit it was built from. */
	commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a commit id'),
	files: z
		.array(
			z.strictObject({
				path: z.string().min(1).max(1024),
				size: z.int().min(0),
				sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'),
			}),
		)
		.max(FILES_MAX),
})

export interface Manifest {
	format: number
	berth: string
	agent: Agent
	commit: string
	files: { path: string; size: number; sha256: string }[]
}

/** Identity of a bundle: the SHA-256 of its canonical `bundle.json` (RFC 8785). */
export function digestOf(manifest: Manifest): string {
	return sha256(canonicalJson(manifest))
}
