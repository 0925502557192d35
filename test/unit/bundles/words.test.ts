import { expect, test } from 'vitest'
import { z } from 'zod'
import { plainWords } from '../../../bundles/words.ts'

const said = (schema: z.ZodType, value: unknown) =>
	schema.safeParse(value, { error: plainWords }).error?.issues.map(({ message }) => message)

// Proves: bundle.all-faults
test.each([
	[z.string(), undefined, 'is missing'],
	[z.string(), null, 'must be a string, not null'],
	[z.string(), ['a'], 'must be a string, not an array'],
	[z.string(), true, 'must be a string, not true'],
	[z.int(), 1.5, 'must be a whole number'],
	[z.int(), '1', 'must be a number, not a string'],
	[z.coerce.number(), 'x', 'must be a number'],
	[z.boolean(), 'yes', 'must be true or false, not a string'],
	[z.strictObject({}), 1, 'must be an object, not a number'],
	[z.strictObject({}), { a: 1, b: 2 }, 'unknown member "a", "b"'],
	[z.enum(['a', 'b']), 'c', 'must be one of a, b'],
	[z.literal('a'), 'c', 'must be a'],
	[z.string().min(1), '', 'must not be empty'],
	[z.string().min(2), 'a', 'must have at least 2 characters'],
	[z.string().max(1), 'abc', 'must have at most 1 character'],
	[z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 items'],
	[z.array(z.int()).length(2), [1], 'must have exactly 2 items'],
	[z.number().positive(), 0, 'must be over 0'],
	[z.number().lt(3), 3, 'must be under 3'],
	[z.int().max(3), 4, 'must be at most 3'],
	[z.iso.datetime(), 'now', 'must be a time, as in 2026-01-31T12:00:00Z'],
	[z.union([z.string(), z.int()]), {}, 'has none of the forms that are taken here'],
	[z.string().regex(/^a$/, 'its own words'), 'b', 'its own words'],
])('a fault of a shape is told in plain words: %#', (schema, value, message) => {
	expect(said(schema, value)).toEqual([message])
})
