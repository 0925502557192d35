/** Characters that change what is read without being seen: controls, direction marks, characters of no width, tags. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}]/gu

/** With each of them as its escape, so that what is agreed to is what is read. */
export const visible = (text: string): string =>
	text.replace(hidden, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)

/** Of them those that change the order in which the text after them is read. */
const turning = /[\u202a-\u202e\u2066-\u2069]/u

/** For every text of a page: a stranger's text turns nothing that stands after it. */
export const unturned = (text: string): string =>
	turning.test(text) ? text.replace(/[\u202a-\u202e\u2066-\u2069]/gu, visible) : text
