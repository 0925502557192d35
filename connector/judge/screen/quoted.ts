/** Whether a text tells of an order that it quotes: most of it stands outside the quotation and says that it quotes. */
import { callsIn, LONGEST_HEAD_UNITS } from './calls.ts'
import { CONCEALS, ROLE } from './orders.ts'

const SAYS =
	/\b(?:says?|said|saying|sentence|words|wrote|write|text|message|lines?|comment|example|such as|phrase|attack|called|reads?|like|ask|contains?|prompt)\b/
/** What stands in quotation marks within a tag is no quotation. */
const TAGS = /<[a-z/!][^<>]{0,400}>/gi
const QUOTED = /["“„«'‘]([^"”“»]{12,400})["”“»]/g
export function quotes(text: string): boolean {
	const head = text.slice(0, LONGEST_HEAD_UNITS)
	if (/[{[]|^[^\n]*[,;][^\n]*\n/.test(head)) return false
	const plain = head.replace(TAGS, ' ')
	const rest = plain.replace(QUOTED, ' ')
	return (
		rest.length < plain.length - 12 &&
		rest.split(/\s+/).length > FEWEST_OUTSIDE &&
		SAYS.test(rest.toLowerCase()) &&
		!ordersOutside(rest.toLowerCase())
	)
}

const ordersOutside = (rest: string): boolean => callsIn(rest) || CONCEALS.test(rest) || ROLE.test(rest)

const FEWEST_OUTSIDE = 6
