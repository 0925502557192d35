import { z } from 'zod'

/** A file as inputs and outputs name it. */
export const StoredFile = z
	.object({
		/** Its id. */
		file: z.string(),
		name: z.string(),
		/** Media type, as its bytes say. */
		type: z.string(),
		size: z.number().int(),
		sha256: z.string(),
		/** Its bytes, with the run key. */
		url: z.string(),
	})
	.meta({ id: 'StoredFile' })

export type StoredFile = z.infer<typeof StoredFile>
