import { forgetOldAnswers, forgetOldTokens } from '../auth/index.ts'
import type { App } from '../http/route.ts'
import type { AccountParts } from './parts.ts'

const everyMs = 3_600_000

/** Deletes what nobody can use any more, as long as the service runs. */
export function sweepPlatform(app: App, parts: AccountParts): void {
	const timer = setInterval(() => {
		Promise.all([forgetOldAnswers(parts.sql), forgetOldTokens(parts.sql)]).catch((error) =>
			parts.log.warn({ err: error }, 'old answers and tokens could not be deleted'),
		)
	}, everyMs)
	app.addHook('onClose', async () => clearInterval(timer))
}
