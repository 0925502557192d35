import type { ModelRequest } from './types.ts'

/** Origin the provider's key may be sent to: `aud` of the credential. */
export function providerOrigin(_provider: Pick<ModelRequest, 'provider' | 'base_url'>): string {
	throw new Error('under construction')
}
