import { z } from 'zod'

/** Where a deployment can run. */
export const ListedPlace = z
	.object({
		id: z.string(),
		name: z.string(),
		/** Where a deployment goes that names no place: that of the host which answers. */
		default: z.boolean(),
		/** Its address; null: no host has named one yet. */
		url: z.string().nullable(),
		/** Hosts that are alive. */
		hosts: z.number().int(),
		/** Whether a deployment can be made there now, with credentials sealed to it. */
		deployable: z.boolean(),
	})
	.meta({ id: 'Place' })

export const PlaceList = z.object({ data: z.array(ListedPlace) }).meta({ id: 'PlaceList' })

export type ListedPlace = z.infer<typeof ListedPlace>
