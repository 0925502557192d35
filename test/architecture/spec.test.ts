import { expect, test } from 'vitest'
import { mentions, promises, proofs } from './spec.ts'

const ids = new Set(promises.map(({ id }) => id))
const proven = new Set(proofs.map(({ id }) => id))
const sources = /^(owner's document|contract|decision|Standard Webhooks|RFC \d{4,5} section \d+(\.\d+)*)$/

test('every promise has an id of its file, one short sentence, and a source', () => {
	const wrong = promises.filter(
		({ id, says, source, area }) =>
			!/^[a-z-]+\.[a-z0-9-]+$/.test(id) ||
			!id.startsWith(`${area}.`) ||
			!/^[A-Z`].*\.`?$/.test(says) ||
			says.split(/\s+/).length > 40 ||
			!sources.test(source),
	)
	expect(wrong).toEqual([])
})

test('no two promises have one id', () => {
	const all = promises.map(({ id }) => id)
	expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([])
})

test('every id that a test or a comment cites exists', () => {
	expect([...proofs, ...mentions].filter(({ id }) => !ids.has(id))).toEqual([])
})

test('a citation stands above a test or at the head of its file', () => {
	const astray = proofs.filter(({ above }) => !/^(test|it|describe)\b|^import\b/.test(above))
	expect(astray).toEqual([])
})

test('prints how many promises a test cites', () => {
	const cited = promises.filter(({ id }) => proven.has(id)).length
	const open = promises.filter(({ open }) => open).length
	process.stdout.write(`spec: ${promises.length} promises, ${cited} cited by tests, ${open} open\n`)
	expect(promises.length).toBeGreaterThan(0)
})
