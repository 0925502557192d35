/** Numbers, names, `*`, ranges, lists and steps, as the host takes them. */
const field = /^[0-9A-Za-z*,/-]+$/
const shown = 5

export type Preview = { times: string[] } | { fault: string }

/** The next five times of an expression, before it is saved. The host decides; this is the same library. */
export async function previewOf(cron: string, timezone: string): Promise<Preview> {
	const fields = cron.trim().split(/\s+/)
	if (fields.length !== 5 || !fields.every((text) => field.test(text)))
		return { fault: 'Five fields: minute, hour, day of month, month, day of week.' }
	try {
		const { Cron } = await import('croner')
		const times = new Cron(fields.join(' '), { timezone, mode: '5-part', paused: true }).nextRuns(shown)
		return times.length === 0
			? { fault: 'This time never comes.' }
			: { times: times.map((at) => at.toISOString()) }
	} catch (error) {
		return { fault: (error as Error).message.replace(/^\w+: /, '') }
	}
}
