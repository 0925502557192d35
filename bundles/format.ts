import { z } from 'zod'
import { type Agent, agentSchema } from './agent.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import type { PackageEntry } from './packages/index.ts'
import { PLAIN, plain } from './text.ts'

/** The bundle file (spec bundle.zip, bundle.file-digests): a zip of `bundle.json` and the files it lists. */

export const FORMAT = 1
/** The oldest Berth that reads this format; written into each bundle, so that an older one can name it. */
export const FORMAT_READ_BY = '0.1.0'
export const MANIFEST_FILE = 'bundle.json'

export const PACKED_MAX_BYTES = 10 * 1024 * 1024
export const UNPACKED_MAX_BYTES = 50 * 1024 * 1024
export const FILES_MAX = 2000
const PACKAGES_MAX = 500
/** 2,000 files with the longest paths, and the largest agent. */
export const MANIFEST_MAX_BYTES = 4 * 1024 * 1024

const shown = (most: number) => z.string().max(most).refine(plain, PLAIN)

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
	/** Whose code is in the programs, as the builder says: nothing here makes sure of it. */
	packages: z
		.array(
			z.strictObject({
				name: shown(214),
				version: shown(100),
				license: shown(200).nullable(),
				bytes: z.int().min(0),
				integrity: shown(1024),
			}),
		)
		.max(PACKAGES_MAX)
		.optional(),
})

export interface Manifest {
	format: number
	berth: string
	agent: Agent
	commit: string
	files: { path: string; size: number; sha256: string }[]
	packages?: PackageEntry[] | undefined
}

/** Identity of a bundle: the SHA-256 of its canonical `bundle.json` (RFC 8785). */
export function digestOf(manifest: Manifest): string {
	return sha256(canonicalJson(manifest))
}
