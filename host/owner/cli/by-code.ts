import type { BegunByCode, Grant } from '../client/index.ts'
import { Interrupted, watchInterrupts } from './interrupt.ts'
import type { Io } from './io.ts'

/** Where a browser of this person can be opened: not over SSH, and on Linux only with a display. */
export function canOpenBrowser(env = process.env, platform = process.platform): boolean {
	if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return false
	if (platform === 'darwin' || platform === 'win32') return true
	return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME || env.BROWSER)
}

/** The part of a sign-in by code that is a person's: shows address and code, and waits until it is decided. */
export async function signInByCode(io: Io, begun: BegunByCode): Promise<Grant> {
	const { verificationUri, userCode, expiresInSeconds } = begun
	const minutes = Math.round(expiresInSeconds / 60)
	// Before a word is shown: who reads it may stop at once.
	const interrupts = watchInterrupts()
	try {
		io.note(`To sign in, open this address in a browser, on any machine:\n  ${verificationUri}`)
		io.note(`and enter the code, within ${minutes} minutes:\n  ${userCode}`)
		return await interrupts.race(begun.decided())
	} catch (error) {
		if (error instanceof Interrupted) throw new Interrupted('stopped before the sign-in was allowed')
		throw error
	} finally {
		interrupts.close()
	}
}
