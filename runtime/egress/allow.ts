import ipaddr from 'ipaddr.js'
import { type Address, isPublic, parseAddress } from './address.ts'

export interface EgressAllow {
	/** `host` as the URL names it, `address` as it was resolved. */
	permits(host: string, port: number, address: Address): boolean
}

type Rule = (host: string, port: number, address: Address) => boolean

/** What a rule by name may open. Link-local (metadata services), multicast and the like need an address or a CIDR. */
const openByName = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Throws at the first entry that is no host, host:port or CIDR. */
export function parseEgressAllow(entries: string[]): EgressAllow {
	const rules = entries.map(parseRule)
	return {
		permits: (host, port, address) => isPublic(address) || rules.some((rule) => rule(host, port, address)),
	}
}

function parseRule(entry: string): Rule {
	const text = entry.trim()
	if (text.includes('://')) {
		const host = URL.parse(text)?.host
		const instead = host ? `: write ${host}` : ''
		throw new Error(`${JSON.stringify(text)} has a scheme, and hosts are allowed without one${instead}`)
	}
	if (text.includes('/')) return parseCidr(text)
	const address = parseAddress(text.replace(/^\[(.*)\]$/, '$1'))
	if (address) return (_host, _port, given) => same(address, given)
	const [, literal, name, digits] = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
	const port = digits === undefined ? undefined : parsePort(digits, text)
	const only = literal === undefined ? parseAddress(name ?? '') : parseAddress(literal)
	if (only) return (_host, given, to) => (port === undefined || given === port) && same(only, to)
	if (name === undefined || !isHostName(name))
		throw new Error(`${JSON.stringify(text)} is no host, host:port or CIDR`)
	const wanted = name.toLowerCase()
	return (host, given, to) =>
		host === wanted && (port === undefined || given === port) && openByName.has(to.range())
}

function parseCidr(text: string): Rule {
	if (!ipaddr.isValidCIDR(text) || !parseAddress(text.slice(0, text.indexOf('/')))) {
		throw new Error(`${JSON.stringify(text)} is no CIDR`)
	}
	const [base, bits] = ipaddr.parseCIDR(text)
	const kind = base.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
	const network = kind.networkAddressFromCIDR(text).toString()
	if (network !== base.toString()) {
		throw new Error(`${JSON.stringify(text)} is no network: did you mean ${network}/${bits}?`)
	}
	// Mapped and translated addresses are judged as IPv4, so a network of them would never match.
	if (parseAddress(network)?.kind() !== base.kind())
		throw new Error(`${JSON.stringify(text)}: write it as IPv4`)
	return (_host, _port, address) => address.kind() === base.kind() && address.match(base, bits)
}

function parsePort(digits: string, entry: string): number {
	const port = Number(digits)
	if (port < 1 || port > 65_535) throw new Error(`${JSON.stringify(entry)} has no valid port`)
	return port
}

/** A name that a URL keeps as it is: `0x7f.1` or `2130706433` would become an address. */
function isHostName(name: string): boolean {
	if (
		name.length > 253 ||
		!/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(name)
	)
		return false
	return URL.parse(`http://${name}`)?.hostname === name.toLowerCase()
}

function same(a: Address, b: Address): boolean {
	return a.toString() === b.toString()
}
