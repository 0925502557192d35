import { z } from 'zod'
import { hiddenCharacter } from './path.ts'

export const URL_MAX_LETTERS = 2048
/** Not shown to whoever reads the file, or dropped by whoever parses it. */
export const plain = (text: string) => hiddenCharacter(text) === null
export const PLAIN = 'must hold no control, invisible or direction-changing character'

// Not `z.url`, which drops tabs and line ends before they are seen.
export const webUrl = z
	.string()
	.max(URL_MAX_LETTERS)
	.meta({ format: 'uri' })
	.refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'must be an http(s) URL')
	.refine((url) => plain(url) && !/\s/.test(url), `${PLAIN} and no space`)

/** Paths are put behind it, and what stands in it is no secret. */
export const baseUrl = webUrl.refine(
	(url) => !/[?#]/.test(url) && !/^https?:\/\/[^/]*@/i.test(url),
	'must be a URL without query, fragment, user name or password',
)
