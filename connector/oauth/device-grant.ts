import { digest } from './rows.ts'

// The device authorization grant (RFC 8628): for programs where no browser can be opened. The library issues the codes
// and the tokens; the person decides on the Platform's own page (`Devices`).

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
/** Without vowels and look-alikes, so that a person can type it: 20^8 codes. */
export const userCodeForm = { charset: 'base-20' as const, mask: '****-****' }
/** How long a person has. */
export const deviceCodeSeconds = 600
/** Between two polls of one device code. */
export const pollSeconds = 5
/** A poll may come so much too early: networks are no clocks. */
const slackMs = 500
const polledMax = 10_000

export interface Polls {
	/** True: the poll came too soon, and the next is due 5 s later than before (RFC 8628 section 3.5). On each host. */
	tooSoon(deviceCode: string): boolean
	/** It has bought its tokens: whoever comes with it again is judged at once. */
	forget(deviceCode: string): void
}

export function openPolls(): Polls {
	const polled = new Map<string, { due: number; everyMs: number }>()
	return {
		forget: (deviceCode) => void polled.delete(digest(deviceCode)),
		tooSoon: (deviceCode) => {
			const id = digest(deviceCode)
			const now = performance.now()
			const before = polled.get(id)
			const early = before !== undefined && now < before.due - slackMs
			const everyMs = (before?.everyMs ?? pollSeconds * 1000) + (early ? pollSeconds * 1000 : 0)
			polled.delete(id)
			if (polled.size >= polledMax) polled.delete(polled.keys().next().value as string)
			polled.set(id, { due: now + everyMs, everyMs })
			return early
		},
	}
}
