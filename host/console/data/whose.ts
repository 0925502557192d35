import { signal } from '@preact/signals'
import { sessionBack, sessionOver } from './line.ts'

// Whose pages these are. A session is the browser's: another tab may sign out, and in as somebody else.

const channel = new BroadcastChannel('berth-session')
let known: string | undefined
let asked: Promise<void> = Promise.resolve()

/** This browser acts for another account than the one that this tab shows. */
export const another = signal(false)

export function heardAccount<T extends { id: string }>(account: T): T {
	known ??= account.id
	if (known !== account.id && !another.value) {
		another.value = true
		location.reload()
	}
	return account
}

/** Before anything is read or changed: not for somebody else. */
export async function sameAccount(): Promise<void> {
	await asked
	if (another.value) throw new Error('This browser is signed in to another account now. Reload this page.')
}

async function ask(): Promise<void> {
	const answer = await fetch('/v1/account').catch(() => null)
	if (answer?.status === 401) sessionOver()
	if (answer?.ok) heardAccount((await answer.json()) as { id: string })
}

/** Other tabs look whose session it is when one shows its first page. */
export function tellSignedIn(): void {
	channel.postMessage('signed in')
}

channel.onmessage = async () => {
	asked = ask()
	await asked
	if (!another.value) sessionBack()
}
addEventListener('focus', () => {
	if (known !== undefined) asked = ask()
})
