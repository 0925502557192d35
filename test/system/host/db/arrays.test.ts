import { pino } from 'pino'
import { expect, inject, test } from 'vitest'
import { openDatabase } from '../../../../host/db/index.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'

test('arrays go to the database and come back as they were', async () => {
	expect(inject('postgres')).toBeTypeOf('string')
	const url = await cloneTemplate()
	const { sql, close } = await openDatabase(
		{ DATA_DIR: '', DATABASE_URL: url },
		pino({ level: 'silent' }),
		() => {},
	)
	try {
		const texts = [
			'',
			'plain',
			'a,b',
			'{x}',
			'say "hi"',
			'back\\slash',
			'line\nbreak',
			'NULL',
			'null',
			' spaced ',
			'é😀',
			'"é😀" \\ \u007f\u2028',
			'"\t" \\ \u0001',
			null,
		]
		const numbers = [0, -1, 2.5, 1e300, null]
		const times = [new Date(0), new Date('2026-11-21T10:00:00.123Z'), null]
		const [row] = await sql`
			select ${texts}::text[] as texts, ${numbers}::float8[] as numbers, ${[1, null, -3]}::int[] as ints,
				${['9007199254740991']}::bigint[] as bigints, ${times.map((at) => at?.toISOString() ?? null)}::timestamptz[] as times,
				array[true, false] as booleans, ${[]}::text[] as nothing, array['x', 'y'] as made`
		expect(row).toEqual({
			texts,
			numbers,
			ints: [1, null, -3],
			bigints: [9007199254740991],
			times,
			booleans: [true, false],
			nothing: [],
			made: ['x', 'y'],
		})
		expect(await sql`select ${['"\ud800']}::text[] as texts`).toEqual([{ texts: ['"\ufffd'] }])
		expect(await sql`select 1 as one where 'b' = any(${['a', 'b']}) and 'c' <> all(${['a', 'b']})`).toEqual([
			{ one: 1 },
		])
	} finally {
		await close()
		await dropDatabase(url)
	}
})
