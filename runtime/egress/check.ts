import { lookup } from 'node:dns/promises'
import { parseAddress } from './address.ts'
import { parseEgressAllow } from './allow.ts'
import { isOwnAddress, refused, refusedOwn } from './connect.ts'
import { isOwnPath, ownHost, parseOwn, parseTarget, portOf } from './route.ts'
import type { OwnListener } from './types.ts'

/**
 * Whether a call to this address would be refused as things stand, said before anybody makes one: rejects
 * `egress_refused`. A name that does not resolve now may do so later. The call itself is checked again where it connects.
 */
export async function checkTarget(allow: string[], url: string, listener?: OwnListener): Promise<void> {
	const target = parseTarget(url)
	const port = portOf(target)
	const host = target.hostname.replace(/^\[(.*)\]$/, '$1')
	const own = listener && parseOwn(listener)
	if (own && ownHost(target, own) !== undefined && !isOwnPath(target, own)) throw refusedOwn(host, port)
	const { permits } = parseEgressAllow(allow)
	const found = parseAddress(host) ? [{ address: host }] : await lookup(host, { all: true }).catch(() => [])
	const addresses = found.flatMap(({ address }) => parseAddress(address) ?? [])
	const others = addresses.filter((one) => port !== own?.port || !isOwnAddress(one.toString()))
	if (addresses.length > 0 && others.length === 0) throw refusedOwn(host, port)
	if (found.length > 0 && !others.some((one) => permits(host, port, one))) throw refused(host, port)
}
