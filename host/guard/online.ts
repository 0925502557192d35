import { readFileSync } from 'node:fs'

/** Whether this machine knows a way to addresses beyond its own networks. True where that cannot be read. */
export function online(): boolean {
	if (process.platform !== 'linux') return true
	try {
		return routesOut(lines('/proc/net/route'), lines('/proc/net/ipv6_route'))
	} catch {
		return true
	}
}

/** A machine without IPv6 has no such file. */
function lines(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch (error) {
		if (path.endsWith('ipv6_route') && (error as NodeJS.ErrnoException).code === 'ENOENT') return ''
		throw error
	}
}

const rejected = 0x200

/** Of Linux's tables (proc(5)): a route to everywhere that does not refuse. */
export function routesOut(v4: string, v6: string): boolean {
	const rows = (text: string) => text.split('\n').map((line) => line.trim().split(/\s+/))
	const usable = (flags = '') => (Number.parseInt(flags, 16) & rejected) === 0
	return (
		rows(v4).some(([, to, , flags, , , , mask]) => to === '00000000' && mask === to && usable(flags)) ||
		rows(v6).some(
			(row) => /^0{32}$/.test(row[0] ?? '') && row[1] === '00' && row[9] !== 'lo' && usable(row[8]),
		)
	)
}
