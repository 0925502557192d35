import { expect, test } from 'vitest'
import { renderPrompt } from '../../../../runtime/guest/template.ts'

// Proves: bundle.prompt-inputs
test('an input stands in the prompt as text or JSON, and one that is left out as nothing', () => {
	const inputs = { q: 'Why?', n: { a: 1 }, none: null }
	expect(renderPrompt('{{q}} {{ n }} {{none}} [{{left_out}}] [{{toString}}]', inputs)).toBe(
		'Why? {"a":1} null [] []',
	)
})
