import { expect, test } from 'vitest'
import { createBundleCache } from '../../../../runtime/process/engine/bundle-cache.ts'
import type { HostLink } from '../../../../runtime/process/engine/recorder.ts'
import { bundleOf, YAML } from '../../../kit/engine/fakes.ts'

test('bundles beyond the room for them are forgotten, those used longest ago first', async () => {
	const made = ['a', 'b', 'c'].map((letter) => bundleOf(YAML, { 'prompt.md': letter.repeat(10_000) }))
	const [a, b, c] = made.map(({ digest }) => digest) as [string, string, string]
	const host = {
		call: async (_: string, { digest }: { digest: string }) =>
			made.find((bundle) => bundle.digest === digest)?.bytes ?? new Uint8Array(),
	} as unknown as HostLink
	const cache = createBundleCache(host, {}, 25_000)
	await cache.load(a)
	await cache.load(b)
	// Loaded anew, it takes its room once.
	await cache.load(b)
	expect(cache.held(a)?.digest).toBe(a)
	await cache.load(c)
	expect([a, b, c].map((digest) => cache.held(digest) !== undefined)).toEqual([true, false, true])
	cache.forget(a)
	expect(cache.held(a)).toBeUndefined()
	// Its room is free again.
	await cache.load(b)
	expect([b, c].map((digest) => cache.held(digest) !== undefined)).toEqual([true, true])
})
