import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

const translated: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96]
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** Parses one address in its usual notation; null for everything else. IPv4 inside IPv6 is judged as the IPv4 it reaches. */
export function parseAddress(text: string): Address | null {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
	// A zone id names one of our own interfaces: never an address of a service.
	if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return null
	const address = ipaddr.IPv6.parse(text)
	if (address.isIPv4MappedAddress()) return address.toIPv4Address()
	// NAT64 (RFC 6052): on an IPv6-only network every IPv4 service is reached so.
	if (address.match(translated)) return new ipaddr.IPv4(address.toByteArray().slice(12))
	return address
}

/**
 * Public services only. 6to4, Teredo and the rest of the special ranges are no `unicast`; ISATAP (RFC 5214) hides an
 * IPv4 address in the last half of any prefix.
 */
export function isPublic(address: Address): boolean {
	if (address.range() !== 'unicast') return false
	if (address.kind() === 'ipv4') return true
	const v6 = address as ipaddr.IPv6
	const isatap = v6.parts[5] === 0x5efe && (v6.parts[4] === 0 || v6.parts[4] === 0x200)
	return v6.match(globalUnicast) && !isatap
}
