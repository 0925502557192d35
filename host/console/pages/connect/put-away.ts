// What a begun sign-in needs when the window comes back: kept in this window's own storage until then, and read once.

const key = 'berth-connect'

export interface PutAway {
	deployment: string
	credential: string
	/** For `finishConnect`, which checks its shape: state, PKCE verifier, the client. */
	pending: unknown
}

export function putAway(begun: PutAway): void {
	sessionStorage.setItem(key, JSON.stringify(begun))
}

/** Null: nothing was begun in this window, or it has been finished. */
export function takeOut(): PutAway | null {
	const text = sessionStorage.getItem(key)
	sessionStorage.removeItem(key)
	try {
		const { deployment, credential, pending } = JSON.parse(text ?? 'null') ?? {}
		if (typeof deployment !== 'string' || typeof credential !== 'string') return null
		return { deployment, credential, pending }
	} catch {
		return null
	}
}
