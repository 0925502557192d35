import { expect, test } from 'vitest'
import { readAgain } from '../../../../host/console/data/list.ts'

const idsOf = (from: number, to: number) =>
	Array.from({ length: from - to + 1 }, (_, i) => ({ id: `row-${from - i}` }))

/** Rows `newest` to 1, newest first, 25 a page; the cursor is the first row of the next page. */
const pagesFrom = (newest: number) => async (cursor: string | undefined) => {
	const from = cursor === undefined ? newest : Number(cursor)
	const to = Math.max(1, from - 24)
	return { data: idsOf(from, to), next_cursor: to === 1 ? null : String(to - 1) }
}

test('a list of two pages that is read again loses no row to new ones before it', async () => {
	const shown = { data: idsOf(100, 51), next_cursor: '50', pages: 2 }
	const { data } = await readAgain(pagesFrom(112), () => shown)
	expect(data.slice(0, 62)).toEqual(idsOf(112, 51))
	expect(new Set(data.map(({ id }) => id)).size).toBe(data.length)
})

test('a list of one page is read as one page, and a page that was added meanwhile is read as well', async () => {
	const one = { data: idsOf(100, 76), next_cursor: '75', pages: 1 }
	expect((await readAgain(pagesFrom(112), () => one)).data).toEqual(idsOf(112, 88))
	let shown = one
	const reading = readAgain(pagesFrom(100), () => shown)
	shown = { data: idsOf(100, 51), next_cursor: '50', pages: 2 }
	expect((await reading).data).toEqual(idsOf(100, 51))
})
