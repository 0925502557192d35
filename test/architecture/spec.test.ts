import { expect, test } from 'vitest'
import { lines, mentions, promises, proofs } from './spec.ts'

const ids = new Set(promises.map(({ id }) => id))
const proven = new Set(proofs.map(({ id }) => id))
const open = promises.filter((promise) => promise.open)
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

test('no line cites a document that is not in the repository', () => {
	const absent = /\b[Cc]ontract \d|\b[Ss]eed( \d|['’]s)|\b[Ii]ssue \d|\b(layout|stack|architecture)\.md/
	expect(lines.filter(({ text }) => absent.test(text)).map(({ at }) => at)).toEqual([])
})

test('a citation stands above a test or at the head of its file', () => {
	const astray = proofs.filter(({ above }) => !/\b(test|it|describe)\b|^import\b/.test(above))
	expect(astray).toEqual([])
})

test('every promise is cited by a test, or says why it is open', () => {
	const uncited = promises.filter(({ id, open }) => !open && !proven.has(id)).map(({ id }) => id)
	const cited = promises.length - uncited.length - open.length
	process.stdout.write(`spec: ${promises.length} promises, ${cited} cited by tests, ${open.length} open\n`)
	expect(uncited).toEqual([])
	expect(open.filter(({ id }) => proven.has(id))).toEqual([])
	expect(open.length).toBeLessThan(15)
})
