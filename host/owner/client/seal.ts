export interface SealingPlace {
	/** Id of the deployment. */
	deployment: string
	/** Name of the credential there. */
	name: string
	/** The only address it may ever be sent to. */
	aud: string
}

/**
 * Seals a credential on this machine (spec credential.sealed-by-owner): a compact JWE that only the runtime of that
 * deployment opens, and only for the place its protected header names. The command line and the console use it alike.
 */
export async function seal(
	sealingKey: Record<string, string>,
	place: SealingPlace,
	secret: Record<string, unknown>,
): Promise<string> {
	const { kid, kty, crv, x } = sealingKey
	if (!kid || kty !== 'OKP' || crv !== 'X25519' || !x)
		throw new TypeError('this is no sealing key of a deployment')
	const header = {
		alg: 'ECDH-ES',
		enc: 'A256GCM',
		kid,
		dep: place.deployment,
		cred: place.name,
		aud: place.aud,
	} as const
	const plaintext = new TextEncoder().encode(JSON.stringify(secret))
	try {
		// A browser of before 2025 has no X25519.
		if (!(await knowsX25519()))
			return await (await import('./seal-without-x25519.ts')).encrypt(header, x, plaintext)
		const { CompactEncrypt, importJWK } = await import('jose')
		const key = await importJWK({ kty, crv, x }, 'ECDH-ES')
		return await new CompactEncrypt(plaintext).setProtectedHeader(header).encrypt(key)
	} finally {
		plaintext.fill(0)
	}
}

async function knowsX25519(): Promise<boolean> {
	try {
		await crypto.subtle.generateKey({ name: 'X25519' }, false, ['deriveBits'])
		return true
	} catch {
		return false
	}
}
