import { accountCalls, adminCalls } from './account.ts'
import { deploymentCalls } from './deployments.ts'
import { fileCalls } from './files.ts'
import { createHttp, type HttpOptions } from './http.ts'
import { memoryCalls } from './memory.ts'
import { overviewCalls } from './overview.ts'
import { runCalls } from './runs.ts'
import { scheduleCalls } from './schedules.ts'
import { webhookCalls } from './webhooks.ts'

export interface ClientOptions extends Omit<HttpOptions, 'base'> {
	/** `{base_url}` of the host. */
	baseUrl: string
}

/** The owner's side of one host: command line, console and demo call it through this and nothing else. */
export function createClient({ baseUrl, ...options }: ClientOptions) {
	const base = baseUrl.replace(/\/+$/, '')
	const http = createHttp({ ...options, base })
	return {
		baseUrl: base,
		account: accountCalls(http, base),
		admin: adminCalls(http, base),
		deployments: deploymentCalls(http, base),
		files: fileCalls(http),
		memory: memoryCalls(http),
		overview: overviewCalls(http, base),
		runs: runCalls(http, base),
		schedules: scheduleCalls(http, base),
		webhooks: webhookCalls(http, base),
	}
}

export type Client = ReturnType<typeof createClient>
