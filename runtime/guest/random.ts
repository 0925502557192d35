/** Random numbers from the run's seed (xoshiro128**): the same in a replay. Not fit for secrets; the guest has none. */
import { define } from './globals.ts'

const state = new Uint32Array(4)

/** 32 hex digits. */
export function seedRandom(seed: string): void {
	for (let i = 0; i < 4; i++) state[i] = Number.parseInt(seed.slice(i * 8, i * 8 + 8), 16) || i + 1
}

function next(): number {
	const [a, b, c, d] = state as unknown as [number, number, number, number]
	const scaled = Math.imul(b, 5)
	const result = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0
	state[2] = c ^ a
	state[3] = d ^ b
	state[1] = b ^ state[2]!
	state[0] = a ^ state[3]!
	state[2] = state[2]! ^ (b << 9)
	state[3] = (state[3]! << 11) | (state[3]! >>> 21)
	return result
}

const MAX_RANDOM_BYTES = 65_536

export function installRandom(): void {
	define(Math, 'random', () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992)
	const fill = <T extends ArrayBufferView>(view: T): T => {
		if (view.byteLength > MAX_RANDOM_BYTES) throw new RangeError(`over ${MAX_RANDOM_BYTES} bytes at once`)
		const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
		for (let i = 0; i < bytes.length; i++) bytes[i] = next() >>> 24
		return view
	}
	const uuid = () => {
		const bytes = fill(new Uint8Array(16))
		bytes[6] = (bytes[6]! & 0x0f) | 0x40
		bytes[8] = (bytes[8]! & 0x3f) | 0x80
		let text = ''
		for (let i = 0; i < 16; i++) {
			if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
			text += (bytes[i]! + 256).toString(16).slice(1)
		}
		return text
	}
	define(globalThis, 'crypto', { getRandomValues: fill, randomUUID: uuid })
}
