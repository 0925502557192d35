import { z } from 'zod'
import type { Host } from '../context.ts'
import { Problem } from './errors.ts'
import { anyone } from './operation.ts'
import type { App } from './route.ts'

const Alive = z.object({ status: z.literal('ok') })
const Ready = Alive.extend({
	/** Isolation layers that hold. */
	sandbox: z.array(z.string()),
})

const patienceMs = 2_000

/** `/healthz`: this process answers. `/readyz`: it can do its work, too, else 503 with what is missing. */
export function healthRoutes(app: App, host: Host): void {
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
			if (host.signal.aborted) missing.push('it is stopping')
			if (host.runtime.pid() === undefined) missing.push('the runtime is down')
			if (!host.lease.held()) missing.push('its lease has run out')
			if (!(await answers(host))) missing.push('the database does not answer')
			const full = host.disk.refusal()
			if (full) missing.push(full.message.replace(/\.$/, '').replace(/^T/, 't'))
			if (missing.length > 0) {
				throw new Problem('overloaded', `Not ready: ${missing.join(', ')}.`, {
					headers: { 'retry-after': '1' },
				})
			}
			return { status: 'ok' as const, sandbox: host.runtime.layers() }
		},
	)
}

async function answers(host: Host): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(resolve, patienceMs, false)
	})
	const asked = host.sql`select 1`.then(
		() => true,
		() => false,
	)
	return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}
