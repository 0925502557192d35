import { z } from 'zod'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import { type Lease, lookedAt, type Sql, writeFault } from '../db/index.ts'
import { Problem } from './errors.ts'
import { anyone } from './operation.ts'
import type { App } from './route.ts'

const Alive = z.object({ status: z.literal('ok') })
const Ready = Alive.extend({
	/** Isolation layers that hold. */
	sandbox: z.array(z.string()),
})

const readyAnswerMs = 2_000

interface HealthParts {
	sql: Sql
	runtime: Pick<RuntimeClient, 'pid' | 'layers'>
	lease: Pick<Lease, 'held'>
	/** Why nothing is stored just now; null: there is room on the disk. */
	disk: { refusal(): Problem | null }
	/** Aborted when this host stops. */
	signal: AbortSignal
}

/** `/healthz`: this process answers. `/readyz`: it can do its work, too, else 503 with what is missing. */
export function healthRoutes(app: App, { sql, runtime, lease, disk, signal }: HealthParts): void {
	const fault = lookedAt(() => writeFault(sql), null)
	app.get(
		'/healthz',
		{ schema: { response: { 200: Alive } }, config: anyone('getHealth', 'This process answers') },
		async () => ({ status: 'ok' as const }),
	)
	app.get(
		'/readyz',
		{ schema: { response: { 200: Ready } }, config: anyone('getReadiness', 'It can do its work, too') },
		async () => {
			const missing: string[] = []
			if (signal.aborted) missing.push('it is stopping')
			if (runtime.pid() === undefined) missing.push('the runtime is down')
			if (!lease.held()) missing.push('its lease has run out')
			const [answers, unwritable] = await Promise.all([
				within(
					sql`select 1`.then(() => true).catch(() => false),
					false,
				),
				within(fault(), null),
			])
			if (!answers) missing.push('the database does not answer')
			else if (unwritable) missing.push(unwritable)
			const full = disk.refusal()
			if (full) missing.push(full.message.replace(/\.$/, '').replace(/^T/, 't'))
			if (missing.length > 0) {
				throw new Problem('overloaded', `Not ready: ${missing.join(', ')}.`, {
					headers: { 'retry-after': '1' },
				})
			}
			return { status: 'ok' as const, sandbox: runtime.layers() }
		},
	)
}

/** What is late is not waited for. */
async function within<T>(asked: Promise<T>, otherwise: T): Promise<T> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<T>((resolve) => {
		timer = setTimeout(resolve, readyAnswerMs, otherwise)
	})
	return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
