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
 * deployment opens, and only for the place its protected header names.
 */
export async function seal(
	sealingKey: Record<string, string>,
	place: SealingPlace,
	secret: Record<string, unknown>,
): Promise<string> {
	const { kid, kty, crv, x } = sealingKey
	if (!kid || kty !== 'OKP' || crv !== 'X25519' || !x)
		throw new TypeError('this is no sealing key of a deployment')
	const { CompactEncrypt, importJWK } = await import('jose')
	const key = await importJWK({ kty, crv, x }, 'ECDH-ES')
	return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(secret)))
		.setProtectedHeader({
			alg: 'ECDH-ES',
			enc: 'A256GCM',
			kid,
			dep: place.deployment,
			cred: place.name,
			aud: place.aud,
		})
		.encrypt(key)
}
