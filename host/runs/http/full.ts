import type { KnownDeployment } from '../../deployments/index.ts'
import { readJournal } from '../live/read.ts'
import { eventJson, isShown } from '../live/view.ts'
import type { ReplayParts } from './parts.ts'
import { readModelCalls } from './replay.ts'

/**
 * The events so far as text of a stream, each `model.started` with the `request` its model was sent: null where that is
 * not known. It comes from a replay, so nothing more is stored for it. For the owner.
 */
export async function fullEvents(
	parts: ReplayParts,
	{ accountId }: KnownDeployment,
	run: string,
	after: number,
): Promise<string> {
	const journal = await readJournal(parts.sql, run, 0)
	const calls = await readModelCalls(parts, accountId, run, journal)
	return journal
		.filter((entry) => entry.seq > after && isShown(entry))
		.map((entry) => {
			if (entry.type !== 'model.started') return entry
			return { ...entry, data: { ...entry.data, request: calls.get(Number(entry.effect)) ?? null } }
		})
		.map((entry) => `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${eventJson(run, entry, true)}\n\n`)
		.join('')
}
