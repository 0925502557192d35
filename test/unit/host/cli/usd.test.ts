import { expect, test } from 'vitest'
import { usdText } from '../../../../host/owner/cli/usd.ts'

// Proves: budget.shown
test.each([
	[0, '0.00'],
	[0.00154, '0.00154'],
	[0.0000004, '<0.000001'],
	[0.0000006, '0.000001'],
	[0.1, '0.10'],
	[12, '12.00'],
	[1234.5678901, '1234.56789'],
	[100000, '100000.00'],
])('%d US dollars are shown as %s', (usd, text) => {
	expect(usdText(usd)).toBe(text)
})
