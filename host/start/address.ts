import { freePort } from '../lib/free-port.ts'
import { StartError } from '../lib/start-error.ts'
import type { Config } from '../settings/config.ts'

/** PORT=0 is a free port; BASE_URL and PLACE_URL, where unset, follow from host and port. Both stand before anything is built. */
export async function settleAddress(config: Config): Promise<Config> {
	const PORT = config.PORT === 0 ? await anyPort(config.HOST) : config.PORT
	const BASE_URL = config.BASE_URL || `http://${reachable(config.HOST)}:${PORT}`
	return { ...config, PORT, BASE_URL, PLACE_URL: config.PLACE_URL || BASE_URL }
}

/** How this machine reaches the listener. */
export const listenerUrl = ({ HOST, PORT }: Config) => `http://${reachable(HOST)}:${PORT}`

function reachable(host: string): string {
	if (host === '0.0.0.0') return '127.0.0.1'
	if (host === '::') return '[::1]'
	return host.includes(':') ? `[${host}]` : host
}

const anyPort = (host: string) =>
	freePort({ address: host }).catch((cause: NodeJS.ErrnoException) => {
		throw new StartError(`Berth cannot listen at HOST ${host} (${cause.code}).`, { cause })
	})
