import type { OpenCredential } from '../keys/index.ts'
import { createScrubber, type Scrubber } from '../providers/index.ts'
import type { Run, Services } from './run.ts'

/** Uses are told to the owner no more often than this. */
const USE_TOLD_EVERY_MS = 60_000

const scrubbers = new WeakMap<OpenCredential, Scrubber>()
const toldAt = new WeakMap<OpenCredential, number>()

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

export function noteUse({ host, now: clock }: Services, deployment: string, opened: OpenCredential): void {
	const now = clock()
	if (now - (toldAt.get(opened) ?? 0) < USE_TOLD_EVERY_MS) return
	toldAt.set(opened, now)
	const { name, version } = opened
	host.notify('credential.state', {
		deployment,
		name,
		version,
		state: 'ready',
		error: null,
		used_at: now,
	})
}

/** Turned away where it was sent: the owner must replace it, or sign in again. */
export function tellRefused(
	{ host, now }: Services,
	deployment: string,
	{ name, version, payload }: OpenCredential,
	error: string,
): void {
	host.notify('credential.state', {
		deployment,
		name,
		version,
		state: payload.kind === 'oauth' ? 'needs_sign_in' : 'rejected',
		error,
		used_at: now(),
	})
}
