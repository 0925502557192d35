import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import postgres from 'postgres'

/**
 * Hears a channel until stopped. `onListen` runs at the start and after every reconnect: what was said in between was
 * missed, so caches are emptied and tables swept there. NOTIFY is a hint; nothing may depend on it alone.
 */
export type Listen = (
	channel: string,
	onNotify: (payload: string) => void,
	onListen?: () => void,
) => Promise<{ stop: () => Promise<void> }>

interface Listener {
	channel: string
	onNotify: (payload: string) => void
	onListen: (() => void) | undefined
}

const firstRetryMs = 50
const lastRetryMs = 2_000

/** One connection for all channels. postgres.js's own `listen` gives up when a reconnect fails; this one does not. */
export function listener(
	connection: postgres.Options<Record<string, postgres.PostgresType>>,
	log: FastifyBaseLogger,
): { listen: Listen; close: () => Promise<void> } {
	const listeners = new Set<Listener>()
	let closed = false
	let reconnecting: Promise<void> | null = null
	const client = postgres({
		...connection,
		max: 1,
		idle_timeout: undefined,
		max_lifetime: null,
		fetch_types: false,
		onclose: () => {
			if (!closed && listeners.size > 0) reconnecting ??= reconnect().finally(() => (reconnecting = null))
		},
		onnotify: (channel: string, payload: string) => {
			for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload)
		},
	} as postgres.Options<Record<string, postgres.PostgresType>>)

	async function reconnect(): Promise<void> {
		for (let wait = firstRetryMs; !closed; wait = Math.min(wait * 2, lastRetryMs)) {
			try {
				for (const channel of new Set([...listeners].map((l) => l.channel)))
					await client.unsafe(`listen "${channel}"`)
				for (const { onListen } of listeners) onListen?.()
				return
			} catch (error) {
				log.debug({ err: error }, 'listening again failed')
				await delay(wait, undefined, { ref: false })
			}
		}
	}

	const listen: Listen = async (channel, onNotify, onListen) => {
		if (!/^[a-z_]+$/.test(channel)) throw new Error(`bad channel name ${channel}`)
		const entry = { channel, onNotify, onListen }
		await client.unsafe(`listen "${channel}"`)
		listeners.add(entry)
		onListen?.()
		return {
			stop: async () => {
				listeners.delete(entry)
				if (!closed && ![...listeners].some((l) => l.channel === channel))
					await client.unsafe(`unlisten "${channel}"`)
			},
		}
	}
	return {
		listen,
		close: async () => {
			closed = true
			await client.end({ timeout: 1 })
		},
	}
}
