import { forgetOldAnswers, forgetOldTokens } from '../auth/index.ts'
import type { App } from '../http/route.ts'
import type { AccountParts } from './parts.ts'
import { dropOldRecords } from './retention.ts'

const everyMs = 3_600_000

/** Deletes what nobody can use any more, as long as the service runs. */
export function sweepPlatform(app: App, parts: AccountParts): void {
	const timer = setInterval(() => {
		Promise.all([
			forgetOldAnswers(parts.sql),
			forgetOldTokens(parts.sql),
			dropOldRecords(parts.sql, parts.config),
		]).catch((error) =>
			parts.log.warn({ err: error }, 'old answers, tokens and records could not be deleted'),
		)
	}, everyMs)
	app.addHook('onClose', async () => clearInterval(timer))
}
