/** Characters that change what is read without being seen: controls, direction marks, characters of no width, tags. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}]/gu

/** With each of them as its escape, so that what is agreed to is what is read. */
export const visible = (text: string): string =>
	text.replace(hidden, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
