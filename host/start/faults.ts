import { parseEgressAllow } from '../../runtime/egress/index.ts'
import { parseDatabaseUrl } from '../db/index.ts'
import type { Config } from '../settings/config.ts'

/** Faults in settings whose grammar belongs to the room that uses them. */
export function settingFaults({ EGRESS_ALLOW = [], DATABASE_URL }: Partial<Config>): string[] {
	return [
		...faultOf(`EGRESS_ALLOW=${EGRESS_ALLOW.join(',')}: `, () => parseEgressAllow(EGRESS_ALLOW)),
		// Names the setting itself, and never its value, which may hold a password.
		...(DATABASE_URL ? faultOf('', () => parseDatabaseUrl(DATABASE_URL)) : []),
	]
}

function faultOf(prefix: string, read: () => unknown): string[] {
	try {
		read()
		return []
	} catch (error) {
		return [prefix + (error as Error).message]
	}
}
