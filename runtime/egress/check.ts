import { lookup } from 'node:dns/promises'
import { parseAddress } from './address.ts'
import { parseEgressAllow } from './allow.ts'
import { refused } from './connect.ts'
import { parseTarget } from './route.ts'

/**
 * Whether a call to this address would be refused as things stand, said before anybody makes one: rejects
 * `egress_refused`. A name that does not resolve now may do so later. The call itself is checked again where it connects.
 */
export async function checkTarget(allow: string[], url: string): Promise<void> {
	const target = parseTarget(url)
	const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80))
	const host = target.hostname.replace(/^\[(.*)\]$/, '$1')
	const { permits } = parseEgressAllow(allow)
	const found = parseAddress(host) ? [{ address: host }] : await lookup(host, { all: true }).catch(() => [])
	const usable = found.some(({ address }) => {
		const parsed = parseAddress(address)
		return parsed !== null && permits(host, port, parsed)
	})
	if (found.length > 0 && !usable) throw refused(host, port)
}
