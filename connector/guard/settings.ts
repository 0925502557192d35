import type { ConnectorDeps } from '../deps.ts'

/** What an operator sets; every host obeys within a second, without a restart. */
export interface Switches {
	maintenance: boolean
	/** Input tokens a calendar month (UTC) over all accounts; null: no limit. */
	budget_tokens: number | null
	/** Calls the judge has in hand on one host, waiting ones included. */
	capacity: number
	/** Part of the capacity that free accounts may take, 0 to 1. */
	free_share: number
}

export interface Settings {
	readonly current: Switches
	set(change: Partial<Switches>): Promise<Switches>
	close(): Promise<void>
}

const byDefault: Switches = { maintenance: false, budget_tokens: null, capacity: 512, free_share: 0.75 }
/** NOTIFY is only a hint: a lost one costs this much. */
const pollMs = 5_000

export async function openSettings({ sql, listen, log }: ConnectorDeps): Promise<Settings> {
	let current = byDefault
	const read = async () => {
		const [row] = await sql<{ value: Partial<Switches> }[]>`
			select value from guard_settings where name = 'switches'`
		current = { ...byDefault, ...row?.value }
	}
	const refresh = () => {
		read().catch((error) => log.warn({ err: error }, 'the guard’s switches could not be read'))
	}
	await read()
	const listening = await listen('guard_settings', refresh)
	const poll = setInterval(refresh, pollMs)
	poll.unref()
	return {
		get current() {
			return current
		},
		set: async (change) => {
			// Merged in the database, so that two operators at once lose nothing.
			const [row] = await sql<{ value: Switches }[]>`
				with changed as (
					insert into guard_settings (name, value)
					values ('switches', ${JSON.stringify({ ...byDefault, ...change })}::text::json)
					on conflict (name) do update
						set value = (guard_settings.value::jsonb || ${JSON.stringify(change)}::text::jsonb)::json
					returning value
				)
				select value, pg_notify('guard_settings', '') from changed`
			current = { ...byDefault, ...row?.value }
			return current
		},
		close: async () => {
			clearInterval(poll)
			await listening.stop()
		},
	}
}
