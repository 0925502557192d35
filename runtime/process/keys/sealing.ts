/**
 * Sealing keys and what is sealed to them (spec credential.bound): compact JWE (RFC 7516), ECDH-ES on X25519 (RFC
 * 8037), A256GCM. The protected header says where a credential belongs, and is authenticated by the decryption itself.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactEncrypt, calculateJwkThumbprint, compactDecrypt, decodeProtectedHeader } from 'jose'
import { KeyError } from './error.ts'
import { type Payload, readPayload, rejected } from './payload.ts'
import type { Wrapper } from './wrap.ts'

const ALG = 'ECDH-ES'
const ENC = 'A256GCM'

export interface WrappedKey {
	kid: string
	wrapped: string
}

export interface SealedFor {
	deployment: string
	name: string
	/** Origin or canonical URL the credential is about to be sent to. */
	aud: string
}

export async function createSealingKey(
	keys: Wrapper,
	deployment: string,
): Promise<WrappedKey & { jwk: Record<string, string> }> {
	const pair = generateKeyPairSync('x25519')
	const { kty, crv, x } = pair.publicKey.export({ format: 'jwk' }) as { kty: string; crv: string; x: string }
	const kid = await calculateJwkThumbprint({ kty, crv, x })
	const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' })
	const wrapped = keys.wrap('sealing', der, [deployment, kid])
	der.fill(0)
	return { kid, wrapped, jwk: { kty, crv, x, kid, alg: ALG, use: 'enc' } }
}

export function openSealingKey(keys: Wrapper, deployment: string, key: WrappedKey): KeyObject {
	const der = unwrapped(keys, deployment, key)
	try {
		return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
	} finally {
		der.fill(0)
	}
}

function unwrapped(keys: Wrapper, deployment: string, { kid, wrapped }: WrappedKey): Buffer {
	try {
		return keys.unwrap('sealing', wrapped, [deployment, kid])
	} catch (cause) {
		throw new KeyError(
			'secret_unreadable',
			"The deployment's sealing key does not open under this host's master key. Deploy the agent again, or restore the row and the master key it was made under.",
			{ cause },
		)
	}
}

/** Rejects `credential_rejected`, with the reason, where it was not sealed to this key for this very place. */
export async function openSealed(
	jwe: string,
	kid: string,
	key: KeyObject,
	place: SealedFor,
): Promise<Payload> {
	checkHeader(jwe, kid, place)
	let plaintext: Uint8Array
	try {
		const options = { keyManagementAlgorithms: [ALG], contentEncryptionAlgorithms: [ENC] }
		plaintext = (await compactDecrypt(jwe, key, options)).plaintext
	} catch (cause) {
		throw rejected('It does not open: it was altered, or sealed to another key.', cause)
	}
	return readPayload(
		place.name,
		Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.length).toString('utf8'),
	)
}

/** What an owner's machine does with the public key, for a sign-in that was refreshed here. */
export function seal(key: KeyObject, kid: string, place: SealedFor, plaintext: string): Promise<string> {
	const { deployment: dep, name: cred, aud } = place
	return new CompactEncrypt(Buffer.from(plaintext))
		.setProtectedHeader({ alg: ALG, enc: ENC, kid, dep, cred, aud })
		.encrypt(createPublicKey(key))
}

function checkHeader(jwe: string, kid: string, { deployment, name, aud }: SealedFor): void {
	let header: Record<string, unknown>
	try {
		header = decodeProtectedHeader(jwe)
	} catch (cause) {
		throw rejected('It is not a compact JWE (RFC 7516).', cause)
	}
	if (jwe.split('.').length !== 5) throw rejected('It is not a compact JWE (RFC 7516).')
	if (header.alg !== ALG || header.enc !== ENC) throw rejected(`It is not sealed with ${ALG} and ${ENC}.`)
	if (header.kid !== kid) throw rejected("It was sealed to another key than this deployment's.")
	if (header.dep !== deployment) throw rejected('It was sealed for another deployment.')
	if (header.cred !== name) throw rejected(`It was sealed as another credential than ${name}.`)
	if (header.aud !== aud) throw rejected(`It was sealed for another address than ${aud}.`)
	if ('zip' in header || 'crit' in header)
		throw rejected('Its header asks for what Berth does not read (zip, crit).')
}
