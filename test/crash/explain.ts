import type { Entry } from '../../runtime/wire/journal.ts'
import type { Row, Seen } from './check.ts'
import type { Fault } from './faults.ts'
import { callIn, type Kind, unrepeatable } from './world.ts'

// Which fault explains what happened to a run, by what the harness saw itself.

/** What happens within so many milliseconds of a call belongs to it: it is written down a little later than it ends. */
const marginMs = 1_000
/** After an outage, until every host has connected and written what waited. */
const caughtUpMs = 3_000
/** Before a host finds that its lease had run out. */
const lapsedMs = 6_000

/** While these last, there is no database. */
const away = new Set<Fault['what']>(['postgres', 'outage', 'frozen machine'])

export const isOutage = ({ what }: Fault) => away.has(what)

type Story = Pick<Seen, 'faults' | 'hosts'>

/** When hosts found that their lease had run out, though the database was there and they were not held up by us. */
export const starved = ({ faults, hosts }: Story): number[] =>
	hosts
		.flatMap(({ lapses }) => lapses)
		.filter(
			(at) =>
				!faults.some(
					(f) => (isOutage(f) || f.what === 'frozen host') && at >= f.at && at <= f.backAt + caughtUpMs,
				),
		)

/**
 * A host that was held up goes on with its runs as long as it does not know that another host has them: in that time, repeatable
 * calls are repeated.
 */
export function heldUp(story: Story, from: number, to: number): string | null {
	const frozen = story.faults.find(
		({ what, at, backAt }) => what === 'frozen host' && from <= backAt + lapsedMs && to >= at,
	)
	if (frozen) return named(frozen, story)
	const late = starved(story).find((at) => from <= at && to >= at - lapsedMs)
	return late === undefined ? null : `a host was starved at ${seconds(late, story)}`
}

const seconds = (at: number, { faults }: Story) => `${((at - (faults[0]?.at ?? 0)) / 1000).toFixed(1)} s`

const named = ({ what, host, at }: Fault, story: Story) =>
	`${what}${host === null ? '' : ` of host ${host + 1}`} at ${seconds(at, story)}`

/** Why a run did not succeed; null where nothing explains it. */
export function explain(row: Row, kind: Kind | undefined, journal: Entry[], seen: Seen): string | null {
	switch (row.error_code) {
		case 'outcome_unknown':
			return lostCall(row, kind, journal, seen)
		case 'connector_unavailable': {
			// Its tokens, or the agent that it calls, come from these very hosts.
			return kind === 'oauth' || kind === 'agents' ? nearby(journal, seen) : null
		}
		case 'agent_error': {
			// The host of the agent that it called had no room, or no database.
			if (kind !== 'agents' || !/overloaded|unavailable|cancelled/.test(row.error_message ?? '')) return null
			return nearby(journal, seen)
		}
		default:
			return null
	}
}

/** A fault as its last call failed. */
function nearby(journal: Entry[], seen: Seen): string | null {
	const failed = journal.findLast(({ ok, data }) => ok === false || data.ok === false) ?? journal.at(-1)
	if (!failed) return null
	const near = seen.faults.find((f) => f.at <= failed.at && failed.at <= f.backAt + caughtUpMs)
	if (near) return `no answer during ${named(near, seen)}`
	// On a machine with much else to do, our own balancer gives up on hosts that are well.
	const late = seen.front.tokens.answers.some(
		({ status, at }) => status === 502 && Math.abs(at - failed.at) < caughtUpMs,
	)
	return late ? 'no host answered the balancer in time' : null
}

/** A call that is not repeatable was in flight as its host or runtime was lost. */
function lostCall(row: Row, kind: Kind | undefined, journal: Entry[], seen: Seen): string | null {
	const name = kind && unrepeatable[kind]
	const begun = journal.find((entry) => callIn(entry) === `${name} ${row.tag}`)
	if (!begun) return null
	const [call] = seen.world.called.get(`${name} ${row.tag}`) ?? []
	// While the database is down, what is done cannot be written down: it counts as in flight until then.
	const ended = call?.endedAt ?? Number.POSITIVE_INFINITY
	const outage = seen.faults.find(
		(f) => isOutage(f) && f.at <= ended + marginMs && ended <= f.backAt + caughtUpMs,
	)
	// Nor can a runtime that stands still.
	const frozen = seen.faults.find(
		(f) => f.what === 'frozen runtime' && f.at <= ended + marginMs && ended <= f.backAt,
	)
	const until = Math.max(
		ended + marginMs,
		outage ? outage.backAt + caughtUpMs : 0,
		frozen ? frozen.backAt + marginMs : 0,
	)
	const kill = seen.faults.find(
		({ what, at }) => (what === 'host' || what === 'runtime') && at >= begun.at - marginMs && at <= until,
	)
	if (kill) return named(kill, seen)
	// The server closes an idle connection meanwhile, and the call is written into it afterwards.
	const stood =
		!call &&
		seen.faults.find(
			({ what, at, backAt }) => what.startsWith('frozen') && at <= begun.at + marginMs && begun.at <= backAt,
		)
	return stood ? named(stood, seen) : heldUp(seen, begun.at, until)
}
