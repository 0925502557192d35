import type { OwnListener } from '../../runtime/egress/index.ts'
import type { Config } from '../settings/config.ts'

export type OwnSettings = 'BASE_URL' | 'PLACE_URL' | 'PORT'

/** A webhook never calls this host itself, whatever the allow list says: it has no path here. */
export function ownListener({ BASE_URL, PLACE_URL, PORT }: Pick<Config, OwnSettings>): OwnListener {
	return { origin: BASE_URL, place: PLACE_URL, listener: `http://127.0.0.1:${PORT}`, paths: [] }
}
