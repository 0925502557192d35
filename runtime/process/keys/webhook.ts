import { createHmac } from 'node:crypto'
import type { Wrapper } from './wrap.ts'

const PREFIX = 'whsec_'

/** Standard Webhooks `v1`: base64 HMAC-SHA-256 under the bytes that follow `whsec_`. */
export function signWebhook(keys: Wrapper, wrapped: string[], text: string): string[] {
	return wrapped.map((secret) => {
		const shown = keys.unwrap('webhook', secret, []).toString('utf8')
		const key = Buffer.from(shown.startsWith(PREFIX) ? shown.slice(PREFIX.length) : shown, 'base64')
		return createHmac('sha256', key).update(text).digest('base64')
	})
}
