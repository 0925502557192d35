import type { Client } from './client.ts'

const dayMs = 86_400_000
const ended = ['succeeded', 'failed', 'cancelled']

/** Whether runs go when those of a deployment are kept `days` days from `now` (ms) on. */
export async function hasOlderRuns(
	{ runs }: Pick<Client, 'runs'>,
	deployment: string,
	days: number,
	now = Date.now(),
): Promise<boolean> {
	const until = new Date(now - days * dayMs).toISOString()
	const pages = await Promise.all(ended.map((status) => runs.all({ deployment, status, until, limit: 1 })))
	return pages.some(({ data }) => data.length > 0)
}
