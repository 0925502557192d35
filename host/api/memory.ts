import { z } from 'zod'

// Memory of a deployment (spec memory.kept-between-runs): small texts by path, every version of them.

const entry = {
	path: z.string(),
	/** Number of the write among all of the deployment's; also the file's ETag. */
	version: z.number(),
	/** In bytes. */
	size: z.number(),
	updated_at: z.string(),
}

export const MemoryList = z.object({ data: z.array(z.object(entry)) }).meta({ id: 'MemoryList' })

export const MemoryFile = z
	.object({
		...entry,
		/** A run, or an account. */
		updated_by: z.string(),
		sha256: z.string(),
		content: z.string(),
	})
	.meta({ id: 'MemoryFile' })

/** Query of `GET {deployment_url}/memory/{path}`. */
export const MemoryQuery = z.strictObject({
	version: z.coerce
		.number()
		.int()
		.min(1)
		.max(2 ** 31 - 1)
		.optional(),
})

/** Body of `PUT {deployment_url}/memory/{path}`. */
export const PutMemory = z.strictObject({ content: z.string() }).meta({ id: 'PutMemory' })

export const MemoryVersions = z
	.object({
		data: z.array(
			z.object({
				...entry,
				updated_by: z.string(),
				/** Null: that write deleted the file. */
				sha256: z.string().nullable(),
			}),
		),
	})
	.meta({ id: 'MemoryVersions' })

export const ErasedMemory = z.object({ deleted: z.number() }).meta({ id: 'ErasedMemory' })

export type MemoryList = z.infer<typeof MemoryList>
export type MemoryFile = z.infer<typeof MemoryFile>
export type MemoryVersions = z.infer<typeof MemoryVersions>
