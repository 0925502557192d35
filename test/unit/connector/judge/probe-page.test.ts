import { expect, test } from 'vitest'
import { probeTables, worstErrors } from '../../../../connector/judge/lab/evaluate/probe-page.ts'
import type { Probed } from '../../../../connector/judge/lab/evaluate/probes.ts'

const probe = (half: Probed['half'], right: boolean, said: number, asked = 'a'): Probed => ({
	...{ tool: 'verify', kind: 'everyday', id: asked, chance: 1 / 3, answer: 'no' },
	...{ half, right, said, asked },
})
const probed = [
	probe('tuning', true, 0.95),
	probe('tuning', false, 0.6, 'less | sure'),
	probe('tuning', false, 0.92, 'sure'),
	probe('kept back', false, 0.99, 'nobody reads this'),
]

test('probes are counted by half, and what is wrong and sure by itself', () => {
	const twisted = [{ tool: 'find', twist: 'order', half: 'kept back' as const, held: true, asked: '' }]
	const lines = probeTables({ probed, twisted })
	expect(lines).toContain('| verify | everyday | 1/3 | 0/1 | 0.33 | 2 |')
	expect(lines).toContain('| find | order | 0/0 | 1/1 |')
})

test('the surest errors come first, and none of the half kept back is shown', () => {
	const rows = worstErrors(probed).filter((line) => line.startsWith('| verify'))
	expect(rows).toEqual(['| verify | sure | no |', '| verify | less \\| sure | no |'])
})
