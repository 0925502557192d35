import { signal } from '@preact/signals'

// Whether the host hears us: told once by the shell (app/notices.tsx), whatever calls failed meanwhile. What was typed
// stays where it is.

const retryMs = 2_000

export const lost = signal(false)
export const ended = signal(false)
/** Grows when the host is back or the session is new: what is shown is read again. */
export const renewed = signal(0)

let retry: ReturnType<typeof setInterval> | undefined

export function lostHost(): void {
	if (retry) return
	lost.value = true
	retry = setInterval(async () => {
		const answer = await fetch('/healthz', { signal: AbortSignal.timeout(retryMs) }).catch(() => null)
		if (answer?.ok) heardHost()
	}, retryMs)
}

export function heardHost(): void {
	if (!retry) return
	clearInterval(retry)
	retry = undefined
	lost.value = false
	renewed.value++
}

export function sessionOver(): void {
	ended.value = true
}

/** Another tab signed in to the same account. */
export function sessionBack(): void {
	if (!ended.value) return
	ended.value = false
	renewed.value++
}
