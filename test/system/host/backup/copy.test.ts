import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onDatabase } from '../../../kit/backup.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'

// The database driver's COPY, as it is mended (.tools/mend.mjs).

let url: string
beforeAll(async () => {
	url = await cloneTemplate()
})
afterAll(() => dropDatabase(url))

const late = 'the connection answers no more'
const answers = (work: Promise<unknown>) => Promise.race([work, sleep(20_000, late)])

// Proves: backup.online
test('a connection answers after a COPY whose reader was slow, wherever its last piece was cut', async () => {
	await onDatabase(url, async (sql) => {
		// The server sends pieces of 8 KiB: at some of these lengths the end of the copy comes in a piece of its own.
		for (let length = 8100; length < 8140; length++) {
			const copied = await sql
				.unsafe(`copy (select repeat('x', ${length}) from generate_series(1, 40)) to stdout`)
				.readable()
			let bytes = 0
			for await (const chunk of copied as AsyncIterable<Buffer>) {
				bytes += chunk.length
				await sleep(1)
			}
			expect(bytes).toBe(40 * (length + 1))
			expect(await answers(sql`select 1 as one`)).toEqual([{ one: 1 }])
		}
	})
})
