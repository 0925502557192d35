import { setTimeout as sleep } from 'node:timers/promises'
import { EgressError } from '../../egress/index.ts'
import { stoodStillSince } from '../../lib/clock.ts'
import { callTool } from './call-tool.ts'
import { type Connection, listTools, openConnection } from './connection.ts'
import type { ConnectorsOptions } from './connectors.ts'
import { connectorError, outcomeOf } from './failure.ts'
import type { CallTime } from './open-calls.ts'
import { ConnectionPool } from './pool.ts'
import { tooLarge } from './reply.ts'
import { isTimeout, waitFor } from './shared.ts'
import { type ConnectorCallOptions, ConnectorError, type Connectors, type ConnectorTarget } from './types.ts'

const IDLE_MS = 5 * 60_000
/** Of a connect, whoever waits for it and however long. */
const CONNECT_MS = 15_000
const MAX_RESULT_BYTES = 1024 * 1024
/** Far fewer than the sockets that the egress guard has for one origin. */
const MAX_EVENT_STREAMS = 200
/** A try with less time than this may break off in the middle of its call, so it is not begun. */
const LEAST_MS = 1_000
/** Text and structured content may say the same twice, with escapes. */
const WIRE_FACTOR = 4

export function openConnectors(options: ConnectorsOptions): Connectors {
	const { egress, idleMs = IDLE_MS, maxResultBytes = MAX_RESULT_BYTES } = options
	const maxBytes = maxResultBytes * WIRE_FACTOR
	const pool = new ConnectionPool<Connection>({ idleMs })
	const streams = { free: MAX_EVENT_STREAMS }

	/** A connection that turns out to be broken is opened once more, where that can do no harm. */
	async function use<T>(
		target: ConnectorTarget,
		{ signal, timeoutMs, repeatable }: Pick<ConnectorCallOptions, 'signal' | 'timeoutMs' | 'repeatable'>,
		run: (connection: Connection, time: CallTime) => Promise<T>,
	): Promise<T> {
		const key = { group: target.deployment, name: target.url, version: target.credentialVersion }
		const time: CallTime = { left: timeoutMs, asked: 0 }
		const connect = () => openConnection({ egress, target, timeoutMs: CONNECT_MS, maxBytes, streams })
		/** A try that may have been executed. */
		let unknown: ConnectorError | undefined
		let failed: ConnectorError | undefined
		const least = Math.min(LEAST_MS, timeoutMs / 2)
		let again = true
		for (;;) {
			let waitMs: number | undefined
			let from = performance.now()
			// Nothing has been called yet.
			const open = () =>
				connect().catch((error) => (stoodStillSince(from) ? connect() : Promise.reject(error)))
			const held = pool.hold(key, open)
			try {
				const connection = await waitFor(held.value, { ms: time.left, signal }).catch((error) => {
					throw isTimeout(error) ? (unknown ?? failed ?? notInTime(target)) : error
				})
				// What a first try takes to connect is none of the call's time.
				if (failed) {
					spend(time, from)
					from = performance.now()
					if (time.left < least) throw unknown ?? failed
				}
				try {
					connection.credential.supplier = target
					return connection.credential.scrub(await run(connection, time))
				} catch (error) {
					signal.throwIfAborted()
					const outcome = outcomeOf(error)
					const failure = connectorError(error, target, connection.credential)
					failed = failure
					if (failure.waitMs !== undefined) throw failure
					if (outcome !== 'protocol') held.discard()
					const harmless =
						outcome === 'session' || outcome === 'unreachable' || (outcome === 'unknown' && repeatable)
					spend(time, from)
					const late = time.left < least || (isTimeout(error) && !stoodStillSince(from))
					if (!again || !harmless || late) throw unknown ?? failure
					if (outcome === 'unknown') unknown = failure
					again = false
				}
			} catch (error) {
				waitMs = error instanceof ConnectorError ? error.waitMs : undefined
				if (waitMs === undefined) throw error
				spend(time, from)
				time.left -= waitMs
				if (time.left < least) throw unknown ?? error
			} finally {
				held.release()
			}
			// A busy server is asked again when it says so, in what is left of the call's time.
			if (waitMs !== undefined)
				await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
		}
	}

	return {
		list: (target, wanted, { signal, timeoutMs, refresh = false }) =>
			use(target, { signal, timeoutMs, repeatable: true }, (connection, { left }) =>
				listTools(connection, wanted, { ms: left, signal, refresh }),
			),
		call: (target, tool, input, callOptions) =>
			use(target, callOptions, async (connection, time) => {
				try {
					return await callTool(connection, tool, input, callOptions, { maxBytes: maxResultBytes, time })
				} catch (error) {
					if (error instanceof EgressError && error.code === 'egress_too_large')
						return tooLarge(maxResultBytes)
					throw error
				}
			}),
		drop: (deployment) => pool.drop(deployment),
		close: () => pool.close(),
	}
}

/** Takes a try's time from the call's, but not the time in which this machine stood still or people were asked. */
function spend(time: CallTime, from: number): void {
	if (!stoodStillSince(from)) time.left -= performance.now() - from - time.asked
	time.asked = 0
}

/** It goes on connecting for others, and no tool was called. */
const notInTime = ({ url }: ConnectorTarget) =>
	new ConnectorError(
		'connector_unavailable',
		'unreachable',
		`${new URL(url).host}: it did not answer in time`,
	)
