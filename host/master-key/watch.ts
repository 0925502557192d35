import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Sql } from '../db/index.ts'
import { StartError } from '../lib/start-error.ts'
import type { Config } from '../settings/config.ts'
import { wrongKey } from './require.ts'
import { rewrapAll } from './rewrap.ts'
import { type KeyState, readKeyState, rotationName, setDone } from './state.ts'

interface WatchParts {
	config: Pick<Config, 'MASTER_KEY_FILE'>
	/** This host. */
	id: string
	sql: Sql
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'call' | 'onRestart'>
	signal: AbortSignal
}

/** A new key in the file, or another in use, is known everywhere after this time. */
const lookMs = 2_000

/**
 * Keeps the runtime on the key that the database names, tells the others which keys this host holds, and encrypts anew what
 * is under the key before. A host that does not hold the key in use ends.
 */
export function watchMasterKey(parts: WatchParts, fail: (error: Error) => void) {
	const { config, id, sql, log, runtime } = parts
	const stopped = new AbortController()
	const signal = AbortSignal.any([stopped.signal, parts.signal])

	async function look(): Promise<void> {
		const state = await readKeyState(sql)
		if (state.check === null) return
		const { held, before } = await runtime.call('master_key.use', { check: state.check })
		if (held[0] !== state.check) return fail(new StartError(wrongKey(config.MASTER_KEY_FILE)))
		// What it has written since must be looked for.
		if (before !== state.check && state.rotation) {
			await setDone(sql, state.rotation.previous, false)
			log.info('this host uses the new master key')
		}
		await sql`
			update hosts set master_keys = ${held} where id = ${id} and master_keys is distinct from ${held}::text[]`
		if (state.rotation) await advance(state as KeyState & { rotation: NonNullable<KeyState['rotation']> })
	}

	async function advance({ check, rotation }: KeyState & { rotation: NonNullable<KeyState['rotation']> }) {
		const { previous, done } = rotation
		if (done) {
			const [row] = await sql`
				delete from settings s where name = ${rotationName} and value->>'previous' = ${previous} and not exists (
					select 1 from hosts where lease_until > now() and (master_keys is null or ${previous} = any(master_keys)))
				returning 1`
			if (row) log.info('no host holds the old master key any more')
			return
		}
		// Before the pass: what is written from then on is under the new key.
		const [all] = await sql<{ use: boolean }[]>`
			select coalesce(bool_and(master_keys[1] = ${check}), false) as use from hosts where lease_until > now()`
		const rewrapped = await rewrapAll({ ...parts, signal })
		if (rewrapped) log.info({ secrets: rewrapped }, 'secrets were encrypted under the new master key')
		if (rewrapped !== 0 || !all?.use) return
		await setDone(sql, previous, true)
		log.info('no stored secret needs the old master key any more')
	}

	const run = async () => {
		let failing = false
		while (!signal.aborted) {
			try {
				await look()
				failing = false
			} catch (error) {
				if (!failing)
					log.warn({ err: error }, 'the master key in use could not be looked at; it is tried again')
				failing = true
			}
			await sleep(lookMs, undefined, { signal }).catch(() => undefined)
		}
	}
	const running = run()
	return {
		async stop() {
			stopped.abort()
			await running
		},
	}
}
