import { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type ChannelError, openChannel } from '../../../runtime/wire/channel.ts'
import { openPeer, type PeerError } from '../../../runtime/wire/peer.ts'

interface Calls {
	double: (a: { n: number }) => { n: number }
	refuse: (a: { code?: string }) => Record<string, never>
	never: (a: Record<string, never>) => Record<string, never>
	bytes: (a: { of: string }) => Uint8Array
}
interface Notes {
	hello: { name: string }
}
type None = Record<string, never>

/** Two joined streams that hand bytes over in small pieces, cutting characters and frames. */
function pair(pieceBytes = 3): [Duplex, Duplex] {
	const make = (): Duplex =>
		new Duplex({
			read() {},
			write(chunk: Buffer, _encoding, done) {
				const other = this === a ? b : a
				for (let i = 0; i < chunk.length; i += pieceBytes) other.push(chunk.subarray(i, i + pieceBytes))
				done()
			},
			final(done) {
				const other = this === a ? b : a
				other.push(null)
				done()
			},
		})
	const a = make()
	const b = make()
	return [a, b]
}

function serve(options: { maxFrameBytes?: number } = {}) {
	const [left, right] = pair()
	const heard: string[] = []
	const unexpected: unknown[] = []
	const server = openPeer<None, None, Calls, Notes>(
		right,
		{
			calls: {
				double: ({ n }) => ({ n: n * 2 }),
				refuse: ({ code }) => {
					throw code ? Object.assign(new Error('no'), { code }) : new Error('inner secret')
				},
				never: () => new Promise(() => {}),
				bytes: ({ of }) => Buffer.from(of),
			},
			notes: { hello: ({ name }) => void heard.push(name) },
			onError: (error) => void unexpected.push(error),
		},
		options,
	)
	const client = openPeer<Calls, Notes, None, None>(left, { calls: {}, notes: {} }, options)
	return { server, client, heard, unexpected }
}

describe('peer', () => {
	test('answers calls and hears notes when frames and characters arrive cut', async () => {
		const { client, heard } = serve()
		client.notify('hello', { name: 'Zoë 🦊' })
		const answers = await Promise.all([1, 2, 3].map((n) => client.call('double', { n })))
		expect(answers).toEqual([{ n: 2 }, { n: 4 }, { n: 6 }])
		expect(heard).toEqual(['Zoë 🦊'])
	})

	test('answers with bytes as they are, newlines and frames among them, between other answers', async () => {
		const { client } = serve()
		const texts = ['', 'a\nb', '#3 {"r":1}\n{"r":2}\n', 'é'.repeat(500)]
		const answers = await Promise.all(
			texts.flatMap((of) => [client.call('bytes', { of }), client.call('double', { n: of.length })]),
		)
		expect(answers).toEqual(texts.flatMap((of) => [Buffer.from(of), { n: of.length * 2 }]))
	})

	// Proves: error.unexpected-hidden
	test('carries a known code over, and hides an unexpected failure', async () => {
		const { client, unexpected } = serve()
		await expect(client.call('refuse', { code: 'fenced' })).rejects.toMatchObject({
			code: 'fenced',
			message: 'no',
		})
		await expect(client.call('refuse', {})).rejects.toMatchObject({
			code: 'internal',
			message: 'internal error',
		})
		expect(String(unexpected[0])).toContain('inner secret')
	})

	test('rejects a call that has waited too long, and every pending call when the channel closes', async () => {
		const { client, server } = serve()
		await expect(client.call('never', {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' })
		const pending = client.call('never', {}).catch((error: PeerError) => error.code)
		server.close()
		expect(await pending).toBe('closed')
		await expect(client.call('double', { n: 1 })).rejects.toMatchObject({ code: 'closed' })
	})

	test('refuses to send a frame over the limit and stays open', async () => {
		const { client } = serve({ maxFrameBytes: 200 })
		await expect(
			client.call('double', { n: 1, pad: 'x'.repeat(300) } as { n: number }),
		).rejects.toMatchObject({
			code: 'frame_too_large',
		})
		await expect(client.call('bytes', { of: 'x'.repeat(300) })).rejects.toMatchObject({
			code: 'frame_too_large',
		})
		expect(await client.call('double', { n: 4 })).toEqual({ n: 8 })
	})
})

describe('channel', () => {
	const closing = (options: { maxFrameBytes?: number }, act: (other: Duplex) => void) =>
		new Promise<ChannelError | undefined>((resolve) => {
			const [left, right] = pair(50)
			openChannel(right, { ...options, onMessage: () => {}, onClose: resolve })
			act(left)
		})

	test('closes when the other end sends a frame over the limit, even without its newline', async () => {
		const error = await closing({ maxFrameBytes: 100 }, (other) => other.write('"'.padEnd(500, 'x')))
		expect(error?.code).toBe('frame_too_large')
	})

	test('closes when the other end announces more bytes than a frame may have', async () => {
		const error = await closing({ maxFrameBytes: 100 }, (other) => other.write('#101 {}\n'))
		expect(error?.code).toBe('frame_too_large')
	})

	test('closes when a frame is not JSON', async () => {
		expect((await closing({}, (other) => other.write('nonsense\n')))?.code).toBe('bad_frame')
	})

	test('closes without an error when the other end ends', async () => {
		expect(await closing({}, (other) => other.end())).toBeUndefined()
	})

	test('closes when too much waits for a reader that does not read', async () => {
		const stuck = new Duplex({ read() {}, write() {} })
		const error = await new Promise<ChannelError | undefined>((resolve) => {
			const channel = openChannel(stuck, { onMessage: () => {}, onClose: resolve, maxQueuedBytes: 1000 })
			for (let i = 0; i < 30; i++) channel.send('x'.repeat(50))
		})
		expect(error?.code).toBe('queue_too_large')
	})
})
