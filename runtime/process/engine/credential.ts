import type { HostNotes } from '../../wire/host-calls.ts'
import type { OpenCredential } from '../keys/index.ts'
import { createScrubber, type Scrubber } from '../providers/index.ts'
import type { Run } from './run.ts'
import type { Services } from './services.ts'

/** Uses are told to the owner no more often than this. */
const USE_TOLD_EVERY_MS = 60_000

const scrubbers = new WeakMap<OpenCredential, Scrubber>()
const told = new WeakMap<OpenCredential, Told>()

interface Told {
	at: number
	usedAt: number
	/** A use that is still to be told. */
	timer: NodeJS.Timeout | undefined
}

/** Opens a credential for one use at `aud`, and has the run's own texts watched for it from here on. */
export async function openFor(run: Run, name: string, aud: string): Promise<OpenCredential> {
	const opened = await run.services.credentials.open(run.begin.deployment, name, aud)
	run.scrubbers.add(scrubberOf(opened))
	return opened
}

export function scrubberOf(opened: OpenCredential): Scrubber {
	let scrubber = scrubbers.get(opened)
	if (!scrubber) {
		scrubber = createScrubber([...opened.secrets])
		scrubbers.set(opened, scrubber)
	}
	return scrubber
}

/**
 * It served a use begun at `usedAt`. At once where the owner reads that it failed; otherwise now and then, and the last
 * of several all the same, so that what another host has told meanwhile does not stay.
 */
export function noteUse(
	{ host, now, credentials }: Services,
	deployment: string,
	opened: OpenCredential,
	usedAt: number,
): void {
	const { name, version } = opened
	const before = toldOf(opened)
	before.usedAt = Math.max(before.usedAt, usedAt)
	const tell = () => {
		clearTimeout(before.timer)
		Object.assign(before, { at: now(), timer: undefined })
		const used_at = before.usedAt
		host.notify('credential.state', { deployment, name, version, state: 'ready', error: null, used_at })
	}
	const waitMs = before.at + USE_TOLD_EVERY_MS - now()
	if (waitMs <= 0 || credentials.fails(deployment, name)) tell()
	else before.timer ??= setTimeout(tell, waitMs).unref()
}

function toldOf(opened: OpenCredential): Told {
	const known = told.get(opened) ?? { at: Number.NEGATIVE_INFINITY, usedAt: 0, timer: undefined }
	told.set(opened, known)
	return known
}

/** Turned away where it was sent: the owner must replace it, or sign in again (`scope`: with that one too). */
export function tellRefused(
	services: Services,
	deployment: string,
	opened: OpenCredential,
	error: string,
	scope?: string,
): void {
	const isSignIn = opened.payload.kind === 'oauth'
	tellFault(services, deployment, opened, {
		state: isSignIn ? 'needs_sign_in' : 'rejected',
		error,
		...(isSignIn && scope !== undefined && { missing_scope: scope }),
	})
}

/** At once, in place of a use that is still to be told. `ready`: its owner cannot mend this by replacing it. */
export function tellFault(
	{ host, date }: Services,
	deployment: string,
	opened: OpenCredential,
	fault: Pick<HostNotes['credential.state'], 'state' | 'error' | 'missing_scope'>,
): void {
	const { name, version } = opened
	clearTimeout(toldOf(opened).timer)
	told.delete(opened)
	host.notify('credential.state', { deployment, name, version, ...fault, used_at: date() })
}
