/** An answer that this client cannot read: which field, and whose version is the older one. */
import type { z } from 'zod'

const HOST_TIMEOUT_MS = 5_000

interface Asked {
	/** Method and address. */
	call: string
	/** `{base_url}` of the host. */
	base: string | undefined
	fetch: typeof fetch
	/** This client's version; unset: it is the host's own (the console). */
	version: (() => Promise<string>) | undefined
}

export async function anotherShape(
	{ issues }: z.ZodError,
	{ call, base, fetch, version }: Asked,
): Promise<string> {
	const { path = [], message = '' } = issues[0] ?? {}
	const field = path.map(String).join('.')
	const said = `${call} answered with another shape than this client knows: ${field ? `\`${field}\`: ` : ''}${message}`
	if (base === undefined || version === undefined) return said
	const [ours, theirs] = await Promise.all([version(), hostVersion(fetch, base)])
	if (theirs === undefined) return `${said}. This client is Berth ${ours}. Is ${base} a Berth host?`
	const side = isOlder(ours, theirs) ? 'the client' : 'the host'
	return `${said}. This client is Berth ${ours}, the host ${theirs}: upgrade ${side}`
}

async function hostVersion(fetcher: typeof fetch, base: string): Promise<string | undefined> {
	try {
		const signal = AbortSignal.timeout(HOST_TIMEOUT_MS)
		const answer = await fetcher(`${base}/openapi.json`, { redirect: 'error', signal })
		const { info } = (await answer.json()) as { info?: { version?: unknown } }
		const version = String(info?.version)
		return /^[\w.+-]{1,32}$/.test(version) && version !== 'undefined' ? version : undefined
	} catch {
		return undefined
	}
}

/** Of one version, the host may be an older build of it. */
function isOlder(ours: string, theirs: string): boolean {
	return ours.localeCompare(theirs, 'en', { numeric: true }) < 0
}
