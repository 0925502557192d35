import { x25519 } from '@noble/curves/ed25519.js'
import { base64url } from './base64url.ts'

/**
 * What `jose` makes (RFC 7516, ECDH-ES of RFC 7518 §4.6 on X25519, A256GCM) where WebCrypto has all of it but the curve,
 * which `@noble/curves` computes.
 */
export async function encrypt(
	header: Record<string, string>,
	x: string,
	plaintext: Uint8Array<ArrayBuffer>,
): Promise<string> {
	const own = x25519.utils.randomSecretKey()
	// Throws where the other's point is of low order (RFC 7748 §6.1).
	const shared = x25519.getSharedSecret(own, bytesOf(x))
	const epk = { kty: 'OKP', crv: 'X25519', x: base64url(x25519.getPublicKey(own)) }
	own.fill(0)
	const protectedHeader = base64url(utf8(JSON.stringify({ ...header, epk })))
	const key = await contentKey(shared, header.enc ?? '')
	const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
	const additionalData = utf8(protectedHeader)
	const sealed = new Uint8Array(
		await crypto.subtle.encrypt(
			{ name: 'AES-GCM', iv, additionalData, tagLength: tagBytes * 8 },
			key,
			plaintext,
		),
	)
	const text = sealed.subarray(0, -tagBytes)
	const tag = sealed.subarray(-tagBytes)
	// No encrypted key: what was agreed on is the key itself.
	return [protectedHeader, '', base64url(iv), base64url(text), base64url(tag)].join('.')
}

const ivBytes = 12
const tagBytes = 16
const keyBits = 256

/** Concat KDF (NIST SP 800-56A §5.8.1) in one round, as a key of 256 bits is what SHA-256 gives. */
async function contentKey(shared: Uint8Array, enc: string): Promise<CryptoKey> {
	const none = uint32(0)
	const input = [uint32(1), shared, uint32(enc.length), utf8(enc), none, none, uint32(keyBits)]
	const digest = await crypto.subtle.digest('SHA-256', joined(input))
	shared.fill(0)
	return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt'])
}

const utf8 = (text: string) => new TextEncoder().encode(text)

function uint32(value: number): Uint8Array {
	const bytes = new Uint8Array(4)
	new DataView(bytes.buffer).setUint32(0, value)
	return bytes
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
	const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
	let at = 0
	for (const part of parts) {
		whole.set(part, at)
		at += part.length
	}
	return whole
}

const bytesOf = (text: string) =>
	Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
