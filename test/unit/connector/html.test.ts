import { expect, test } from 'vitest'
import { html } from '../../../connector/index.ts'

const name = `<b title="x" id='y'>&`
const escaped = '&#60;b title=&#34;x&#34; id=&#39;y&#39;&#62;&#38;'

// Proves: guard-oauth.pages-escaped
test('everything put into a template is escaped, but not what a template made', () => {
	expect(html`<p>${name}</p>`.text).toBe(`<p>${escaped}</p>`)
	expect(html`<ul>${[name, html`<li>${name}</li>`]}</ul>`.text).toBe(`<ul>${escaped}<li>${escaped}</li></ul>`)
	const forged = { text: '<script>' } as unknown as string
	expect(() => html`${forged}`).toThrow()
})

test('a part that is left out leaves nothing, and zero is a number', () => {
	expect(html`<p${false}${undefined}${null}${''}>${0}</p>`.text).toBe('<p>0</p>')
})
