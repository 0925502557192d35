import { UsageError } from './failure.ts'
import type { Io } from './io.ts'
import { openBrowser, openLoopback } from './loopback.ts'

/** The part of a sign-in that is a person's: opens the address in a browser, and takes the answer on loopback. */
export async function signInBy<T>(
	io: Io,
	browser: boolean,
	begin: (redirectUri: string) => Promise<{ url: string; finish(answer: URLSearchParams): Promise<T> }>,
): Promise<T> {
	const loopback = await openLoopback()
	try {
		const { url, finish } = await begin(loopback.redirectUri)
		io.note(`Open this address to sign in:\n${url}`)
		if (browser) openBrowser(url)
		return await loopback.answer(new URL(url).searchParams.get('state') ?? '', finish)
	} finally {
		loopback.close()
	}
}

/** Nobody is there to look at a browser. */
export function requirePerson(io: Io, browser: boolean, otherwise: string): void {
	if (browser && !io.interactive) throw new UsageError(`there is no terminal: ${otherwise}`)
}
