/** Numbers, names, `*`, ranges, lists and steps, as the host takes them. */
const field = /^[0-9A-Za-z*,/-]+$/
const shown = 5

export type Preview = { times: string[] } | { fault: string }

/** The next five times of an expression, before it is saved. The host decides, by the same code. */
export async function previewOf(cron: string, timezone: string): Promise<Preview> {
	const fields = cron.trim().split(/\s+/)
	if (fields.length !== 5 || !fields.every((text) => field.test(text)))
		return { fault: 'Five fields: minute, hour, day of month, month, day of week.' }
	try {
		const { cronTimes, whyNever } = await import('../../../../api/cron-times.ts')
		const [text, now] = [fields.join(' '), new Date()]
		const times = cronTimes(text, timezone).list(shown, now)
		return times.length === 0
			? { fault: `It ${whyNever(text, timezone, now)}.` }
			: { times: times.map((at) => at.toISOString()) }
	} catch (error) {
		return { fault: (error as Error).message.replace(/^\w+: /, '') }
	}
}
