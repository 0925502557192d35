import { expect, test } from 'vitest'
import { sources } from './sources.ts'

const fileMaxLines = 300
const functionMaxLines = 60

// Proves: repository.sizes
test('a file has at most 300 lines', () => {
	expect(
		sources.filter(({ lines }) => lines > fileMaxLines).map(({ path, lines }) => `${path}: ${lines}`),
	).toEqual([])
})

// Proves: repository.sizes
test('a function has at most 60 lines of its own', () => {
	const long = sources.flatMap(({ path, functions }) =>
		functions
			.filter(({ lines }) => lines > functionMaxLines)
			.map(({ name, line, lines }) => `${path}:${line} ${name}: ${lines}`),
	)
	expect(long).toEqual([])
})
