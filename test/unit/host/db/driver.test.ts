import postgres from 'postgres'
import { expect, test } from 'vitest'

test('tests that run from the sources have the driver as it is mended for dist/', () => {
	expect(postgres.toString()).toContain('if (c.life !== life) return q.reject(')
})
