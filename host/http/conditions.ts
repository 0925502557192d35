/**
 * Whether `If-Match` or `If-None-Match` names this very representation (RFC 9110, 13.1): `*`, or a list. `weak`: weak tags
 * count, too.
 */
export const namesTag = (condition: string, etag: string, { weak = false } = {}): boolean =>
	condition.trim() === '*' || tagsOf(condition).some((tag) => tag === etag || (weak && tag === `W/${etag}`))

const tagsOf = (condition: string): string[] => condition.match(/(?:W\/)?"[^"]*"/g) ?? []
