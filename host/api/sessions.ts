import { z } from 'zod'
import { time } from './common.ts'

/** Answer of `POST /v1/session/token`: a bearer token for the page that holds the session, kept in its memory. */
export const ConsoleToken = z.object({ token: z.string(), expires_at: time }).meta({ id: 'ConsoleToken' })

/** A browser that is signed in, or a program that was let in by OAuth. */
export const Session = z
	.object({
		id: z.string(),
		/** `program`: for `{base_url}/v1`, as `berth login` asks. `mcp`: for the guard. */
		kind: z.enum(['browser', 'program', 'mcp']),
		/** What the browser, or the program, calls itself. */
		name: z.string(),
		created_at: time,
		/** Null: not since this was kept, or not known of this kind. */
		last_used_at: time.nullable(),
		expires_at: time.nullable(),
		/** The one that asks. */
		current: z.boolean(),
	})
	.meta({ id: 'Session' })
export const SessionList = z.object({ data: z.array(Session) }).meta({ id: 'SessionList' })

export type ConsoleToken = z.infer<typeof ConsoleToken>
export type Session = z.infer<typeof Session>
export type SessionList = z.infer<typeof SessionList>
