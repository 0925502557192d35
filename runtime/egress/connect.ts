import { lookup as resolve } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseAddress } from './address.ts'
import type { EgressAllow } from './allow.ts'
import { EgressError, type Lookup } from './types.ts'
import { buildConnector } from './undici.ts'

export interface ConnectOptions {
	allow: EgressAllow
	connectMs: number
	lookup?: Lookup
	/** Our own listener: never reached through the allow list, whatever it says. */
	ownPort?: number
}

/**
 * The connect hook of the pool. A lookup alone would not do, since a literal never gets to it; checking the name
 * beforehand would not do either, since a second resolution may answer otherwise. Here literals are checked as such,
 * and a name is resolved once, checked, and the socket gets exactly the addresses that passed.
 */
export function guardedConnector(options: ConnectOptions): buildConnector.connector {
	const { allow, connectMs, lookup = systemLookup, ownPort } = options
	/** Undefined: it may be called. */
	const refusalOf = (host: string, port: number, text: string): EgressError | undefined => {
		const address = parseAddress(text)
		if (address && port === ownPort && isOwnAddress(address.toString())) return refusedOwn(host, port)
		return address && allow.permits(host, port, address) ? undefined : refused(host, port)
	}
	const checked = (port: number): LookupFunction => {
		return (host, { all }, done) => {
			lookup(host).then(
				(found) => {
					const usable = found.filter(({ address }) => !refusalOf(host, port, address))
					const [first] = usable
					if (!first) done(found[0] ? refusalOf(host, port, found[0].address)! : noAddress(host), [])
					else if (all) done(null, usable)
					else done(null, first.address, first.family)
				},
				(error: NodeJS.ErrnoException) => done(error, []),
			)
		}
	}
	// One a port, since a lookup is told the name only; each keeps its TLS sessions.
	const connectors = new Map<number, buildConnector.connector>()
	return (target, callback) => {
		const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80))
		const refusal = isLiteral(target.hostname) && refusalOf(target.hostname, port, target.hostname)
		if (refusal) {
			queueMicrotask(() => callback(refusal, null))
			return
		}
		let connect = connectors.get(port)
		if (!connect) {
			connect = buildConnector({ timeout: connectMs, allowH2: false, lookup: checked(port) })
			connectors.set(port, connect)
		}
		connect(target, callback)
	}
}

export function refused(host: string, port: number): EgressError {
	return new EgressError(
		'egress_refused',
		`${shown(host, port)} is not a public address and the operator has not allowed it (EGRESS_ALLOW)`,
	)
}

export function refusedOwn(host: string, port: number): EgressError {
	return new EgressError(
		'egress_refused',
		`${shown(host, port)} is an address of this host itself and not allowed, whatever EGRESS_ALLOW says`,
	)
}

const shown = (host: string, port: number): string =>
	host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

function systemLookup(hostname: string) {
	return resolve(hostname, { all: true })
}

function noAddress(host: string): NodeJS.ErrnoException {
	return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
}

function isLiteral(host: string): boolean {
	return host.includes(':') || /^[0-9.]+$/.test(host)
}

export function isOwnAddress(address: string): boolean {
	if (address === '::1' || address.startsWith('127.') || address === '0.0.0.0' || address === '::')
		return true
	return Object.values(networkInterfaces()).some((list) => list?.some((entry) => entry.address === address))
}
