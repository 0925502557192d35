/** Notions that answer one another without being the same: who asks about an order wants the parcel, who forgot resets. */
import { NOTIONS } from './notions.ts'

const GROUPS = `
forgot reset
lose lostfound steal
order parcel track shippingx deliverytime
pay paying invoice
latepayment duedate
refund returngoods complaint
broken repair warranty exchange
cancel endearly notice leaving
ill unwell doctor medical hospital
meet calendar appointment
accident hurt
joblessx job
moneyworth price rise
birthday greeting
dinner food hungry
dirty clean
noise quiet
cheap dear price
allowed forbidden
openx closed openinghours
like dislike recommendx
nearby far
instock soldout
rent tenant landlord leaving
remind timer
email messagex sendx
currency convert
photo imagex
problem errorx broken
address homex
`

const related = new Map<number, Set<number>>()
for (const line of GROUPS.trim().split('\n')) {
	const ids = line.split(' ').map((name) => NOTIONS.indexOf(name))
	for (const id of ids)
		related.set(id, new Set([...(related.get(id) ?? []), ...ids.filter((one) => one !== id)]))
}
const NONE: ReadonlySet<number> = new Set()

export const relatedTo = (id: number): ReadonlySet<number> => related.get(id) ?? NONE
