import type { FastifyBaseLogger } from 'fastify'
import { createEgress } from '../../runtime/egress/index.ts'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Sql } from '../db/index.ts'
import type { Metrics } from '../metrics/index.ts'
import type { Config } from '../settings/config.ts'
import { attemptDelivery } from './attempt.ts'
import { claimDue, type Due } from './claim.ts'
import { type OwnSettings, ownListener } from './own.ts'
import {
	attemptWriter,
	disableEndpoint,
	isDelivered,
	nextAttempt,
	noteFailing,
	noteWorking,
} from './settle.ts'

interface SenderParts {
	config: Pick<
		Config,
		OwnSettings | 'PLACE' | 'EGRESS_ALLOW' | 'WEBHOOK_RETRY_SECONDS' | 'WEBHOOK_TIMEOUT_SECONDS'
	>
	sql: Sql
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'call'>
	metrics: Pick<Metrics, 'webhookAttempted'>
	/** Aborted when this host must do no more work. */
	signal: AbortSignal
}

export interface Webhooks {
	/** Deliveries have been written: look now. Without it they are found a sweep later. */
	wake(): void
	start(): void
	/** Takes nothing more; what is under way may end in a moment, else it is given back. */
	stop(): Promise<void>
}

/**
 * Sends what the `deliveries` table says is due. The table owns attempts and times, so any host of its place may send, a wake-up may
 * get lost, and a sender may die at any point: what it held is due again when its lease has run out.
 */
const sweepMs = 1000
const atOnce = 64
const perEndpoint = 8
/** For signing an attempt and writing it down. One that takes longer is made twice, which receivers must bear anyway. */
const leaseMarginMs = 10_000
/** A stop waits so long for attempts under way: behind it runs wait to be handed over. Then they are for others to make. */
const lastAttemptsMs = 2_000

export function openWebhooks(parts: SenderParts): Webhooks {
	const schedule = parts.config.WEBHOOK_RETRY_SECONDS
	const timeoutMs = parts.config.WEBHOOK_TIMEOUT_SECONDS * 1000
	const settle = attemptWriter(parts.sql)
	const busy = new Map<string, number>()
	const underWay = new Set<Promise<void>>()
	const stop = new AbortController()
	let egress: ReturnType<typeof createEgress> | undefined
	let timer: NodeJS.Timeout | undefined
	let looking: Promise<void> | null = null
	let again = false
	let stopped = true

	async function deliver(due: Due): Promise<void> {
		busy.set(due.endpoint, (busy.get(due.endpoint) ?? 0) + 1)
		try {
			const attempted = await attemptDelivery(parts.runtime, egress!, due, timeoutMs, stop.signal)
			const failed = !isDelivered(attempted)
			// Before it is given back: its next attempt must not come before its endpoint is disabled.
			const over = failed && !attempted.void ? await noteFailing(parts.sql, due.endpoint, attempted) : null
			const nextMs = over === null ? nextAttempt(due, attempted, schedule) : null
			await settle({ due, attempted, nextMs })
			// Sooner than the sweep would find it; a timer that is lost costs no more than that.
			if (nextMs !== null && nextMs < sweepMs) setTimeout(wake, nextMs).unref()
			if (!attempted.void) parts.metrics.webhookAttempted(failed ? 'failed' : 'delivered')
			if (over !== null) await disableEndpoint(parts.sql, due.endpoint, over)
			if (!failed && due.failing) await noteWorking(parts.sql, due.endpoint)
			if (failed) {
				parts.log.info(
					{ delivery: due.id, status: attempted.status, reason: attempted.error },
					'a webhook was not delivered',
				)
			}
		} catch (error) {
			// Its lease runs out, and it is sent again.
			parts.log.error({ err: error, delivery: due.id }, 'a webhook’s attempt was not written down')
		} finally {
			const left = (busy.get(due.endpoint) ?? 1) - 1
			if (left === 0) busy.delete(due.endpoint)
			else busy.set(due.endpoint, left)
		}
	}

	async function look(): Promise<void> {
		do {
			again = false
			const free = atOnce - underWay.size
			if (stopped || parts.signal.aborted || free <= 0) return
			const leaseMs = timeoutMs + leaseMarginMs
			for (const due of await claimDue(parts.sql, parts.config.PLACE, free, perEndpoint, busy, leaseMs)) {
				const attempt = deliver(due).finally(() => {
					underWay.delete(attempt)
					wake()
				})
				underWay.add(attempt)
			}
		} while (again)
	}

	function wake(): void {
		again = true
		if (stopped || looking) return
		looking = look()
			.catch((error) =>
				parts.log.error({ err: error }, 'due webhooks could not be read; the next sweep tries again'),
			)
			.finally(() => {
				looking = null
				// Asked for just as it ended.
				if (again) wake()
			})
	}

	return {
		wake,
		start() {
			stopped = false
			egress = createEgress({ allow: parts.config.EGRESS_ALLOW, own: ownListener(parts.config) })
			timer = setInterval(wake, sweepMs)
			wake()
		},
		async stop() {
			stopped = true
			clearInterval(timer)
			await looking
			const late = setTimeout(() => stop.abort(), lastAttemptsMs)
			await Promise.all(underWay)
			clearTimeout(late)
			await egress?.close()
		},
	}
}
