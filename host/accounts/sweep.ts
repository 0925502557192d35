import { forgetOldAnswers, forgetOldTokens } from '../auth/index.ts'
import type { Host } from '../context.ts'
import type { App } from '../http/route.ts'

const everyMs = 3_600_000

/** Deletes what nobody can use any more, as long as the service runs. */
export function sweepPlatform(app: App, host: Host): void {
	const timer = setInterval(() => {
		Promise.all([forgetOldAnswers(host), forgetOldTokens(host.sql)]).catch((error) =>
			host.log.warn({ err: error }, 'old answers and tokens could not be deleted'),
		)
	}, everyMs)
	app.addHook('onClose', async () => clearInterval(timer))
}
