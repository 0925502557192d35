import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, resolve } from 'node:path'

// What a setting may be, and how its text is read. A reader throws what is wrong, after the setting's name.

export interface Setting<T> {
	/** As shown; read when the variable is unset or empty. */
	default: string
	help: string
	read: (text: string, base: Record<string, unknown>) => T
	/** Its value is in no message. */
	secret?: true
}

export const setting = <T>(byDefault: string, help: string, read: Setting<T>['read']): Setting<T> => ({
	default: byDefault,
	help,
	read,
})
export const text = (byDefault: string, help: string) => setting(byDefault, help, (value) => value)
export const whole = (byDefault: number, min: number, max: number, help: string) =>
	setting(String(byDefault), help, (value) => {
		const n = Number(value)
		if (!/^\d+$/.test(value) || n < min || n > max)
			throw new Error(`must be a whole number from ${min} to ${max}`)
		return n
	})
export const seconds = (byDefault: number, min: number, max: number, help: string) =>
	setting(String(byDefault), help, (value) => {
		const n = Number(value)
		if (!/^\d+(\.\d+)?$/.test(value) || n < min || n > max)
			throw new Error(`must be seconds from ${min} to ${max}`)
		return n
	})
export const oneOf = <const T extends string>(choices: readonly T[], help: string) =>
	setting(choices[0] as string, help, (value) => {
		if (!(choices as readonly string[]).includes(value))
			throw new Error(`must be one of ${choices.join(', ')}`)
		return value as T
	})
export const list = (help: string) =>
	setting('', help, (value) =>
		value
			.split(',')
			.map((part) => part.trim())
			.filter((part) => part !== ''),
	)
/** As browsers write them: scheme, host and port, in lower case. */
export const origins = (help: string) =>
	setting('', help, (value) => {
		const parts = list(help).read(value, {})
		return parts.map((part) => {
			if (part === '*') return part
			const url = URL.parse(part)
			const origin = url && (/^https?:$/.test(url.protocol) ? url.origin : `${url.protocol}//${url.host}`)
			if (!origin || !url.host || part.toLowerCase().replace(/\/$/, '') !== origin.toLowerCase())
				throw new Error(`${part} is not an origin, as in https://app.example.com, nor *`)
			return origin.toLowerCase()
		})
	})
/** Sent in an `Authorization` header (RFC 6750 section 2.1). */
export const token = (help: string): Setting<string> => ({
	...setting('', help, (value) => {
		if (value !== '' && !/^[\w.~+/-]+=*$/.test(value))
			throw new Error('must be letters, digits and -._~+/ only, as a bearer token is')
		return value
	}),
	secret: true,
})
const isRange = (text: string) => {
	const [address = '', bits, ...more] = text.split('/')
	const kind = isIP(address)
	const most = kind === 4 ? 32 : 128
	return (
		kind !== 0 &&
		more.length === 0 &&
		(bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
	)
}
/** A name of RFC 1123, in lower case. */
const isHostName = (text: string) =>
	text.length <= 253 && text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
export const listenAddress = (value: string): string => {
	// Whatever ends in a number is an IPv4 address in a URL (999.1.1.1, 127.1).
	const isName =
		isHostName(value.toLowerCase()) && URL.parse(`http://${value}`)?.hostname === value.toLowerCase()
	if (isIP(value) === 0 && !isName)
		throw new Error('must be an address or a host name, without scheme and port')
	return value
}
export const domain = (value: string): string => {
	const [name = '', port, ...more] = value.toLowerCase().split(':')
	const fits = isHostName(name) && isIP(name) === 0 && more.length === 0
	if (value !== '' && !(fits && (port === undefined || /^[1-9]\d{0,4}$/.test(port))))
		throw new Error('must be a domain, as in agents.example.com, with a port where it has one')
	return value.toLowerCase()
}
export const placeName = (value: string): string => {
	if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(value))
		throw new Error('must be 1 to 40 letters a-z, digits and hyphens, as in eu-west')
	return value
}
/** A file that can be read, or one that can be made, with folders above it that are missing. */
export const keyFile = (value: string): string => {
	const file = resolve(value)
	let there = file
	while (!existsSync(there)) there = dirname(there)
	if (there === file && !statSync(file).isFile()) throw new Error('must be a file')
	if (there !== file && !statSync(there).isDirectory()) throw new Error(`${there} is no folder`)
	try {
		accessSync(there, there === file ? constants.R_OK : constants.W_OK)
	} catch {
		throw new Error(there === file ? 'cannot be read' : `cannot be made in ${there}`)
	}
	return file
}
/** Names in lower case, without ports. */
export const domains = (help: string) =>
	setting('', help, (value) =>
		list(help)
			.read(value, {})
			.map((part) => {
				const name = part.toLowerCase().replace(/^@/, '')
				if (!isHostName(name) || isIP(name) !== 0)
					throw new Error(`${part} is not a domain, as in example.com`)
				return name
			}),
	)
/** Kept as it is written: an issuer with a slash at its end is another one. */
export const issuer = (value: string): string => {
	if (value === '') return ''
	const url = new URL(httpUrl(value))
	const own = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
	if (url.protocol !== 'https:' && !own)
		throw new Error('must be an https URL (http only on this machine: localhost, 127.0.0.1 or [::1])')
	return value
}
export const addresses = (help: string) =>
	setting('', help, (value) => {
		const parts = value
			.split(',')
			.map((part) => part.trim())
			.filter((part) => part !== '')
		const bad = parts.find((part) => !isRange(part))
		if (bad !== undefined) throw new Error(`${bad} is neither an address nor a CIDR`)
		return parts
	})
/** As `berth doctor` names them. */
const layers = [
	'user',
	'privileges',
	'files',
	'network',
	'processes',
	'seccomp',
	'descriptors',
	'dumps',
	'memory',
	'cgroup',
	'capabilities',
] as const
export const layerNamed = (name: string) => {
	const layer = layers.find((one) => one === name)
	if (!layer) throw new Error(`there is no layer ${name}; there are ${layers.join(', ')}`)
	return layer
}
/** Pages, sign-in and discovery stand at the root. */
export const rootUrl = (value: string): string => {
	const url = httpUrl(value)
	if (new URL(url).pathname !== '/')
		throw new Error('must have no path: Berth needs a host name of its own, and answers at its root')
	return url
}
export const httpUrl = (value: string): string => {
	const url = URL.canParse(value) ? new URL(value) : null
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
		throw new Error('must be an http or https URL')
	if (url.search || url.hash || url.username) throw new Error('must be a URL without query, fragment or user')
	return url.href.replace(/\/$/, '')
}
