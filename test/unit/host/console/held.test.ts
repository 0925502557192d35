import { expect, test } from 'vitest'
import { heldRows } from '../../../../host/console/pages/approvals/held-rows.ts'

const rows = (...ids: string[]) => ids.map((id) => ({ id }))
const held = (shown: string[], read: string[]) => {
	const { rows: now, fresh, gone } = heldRows(rows(...shown), rows(...read))
	return [now, fresh, gone].map((part) => part.map(({ id }) => id).join(' '))
}

test('shown rows keep their places: older ones come below, newer ones wait, and none goes', () => {
	expect(held([], ['c', 'b'])).toEqual(['c b', '', ''])
	expect(held(['c', 'b'], ['e', 'd', 'c', 'b'])).toEqual(['c b', 'e d', ''])
	expect(held(['c', 'b'], ['d', 'b', 'a'])).toEqual(['c b a', 'd', 'c'])
	expect(held(['c', 'b'], ['d'])).toEqual(['c b', 'd', 'c b'])
	expect(held(['c', 'b'], [])).toEqual(['c b', '', 'c b'])
	const [first] = heldRows([{ id: 'a', status: 'pending' }], [{ id: 'a', status: 'denied' }]).rows
	expect(first?.status).toBe('denied')
})
