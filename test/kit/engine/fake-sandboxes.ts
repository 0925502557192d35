import type { SandboxEnd, Sandboxes, SandboxJob } from '../../../runtime/process/sandboxes/types.ts'

/** A program of the guest, run in this process: what the engine sees of one is its effects. */
export type Program = (guest: Guest) => Promise<unknown>

export interface Guest {
	inputs: unknown
	/** Rejects with `{code, message}`. */
	effect(method: string, args?: unknown): Promise<never>
	/** For effects that get no answer; returns the number. */
	issue(method: string, args?: unknown): number
	/** Sends whatever it likes. */
	forge(n: number, method: string, args: string): void
	/** Guest time. */
	now(): number
	/** Everything delivered so far, in order. */
	delivered: number[]
}

type How = { blameless?: boolean; starved?: true }

export interface FakeSandboxes extends Sandboxes {
	jobs: SandboxJob[]
	live: number
	/** As if the process had died; `blameless`: while another run executed; `starved`: a turn was cut off. */
	kill(how?: How): void
}

/** Delivers as the real one does: each answer is a turn of its own, and what the turn sent leaves after it. */
export function fakeSandboxes(program: Program): FakeSandboxes {
	const kills = new Set<(how: How) => void>()
	const jobs: SandboxJob[] = []
	return {
		jobs,
		get live() {
			return kills.size
		},
		start(job) {
			jobs.push(job)
			const guest = startGuest(program, job, () => kills.delete(kill))
			const kill = (how: How) =>
				guest.end({ ok: false, code: 'sandbox_lost', message: 'killed', blameless: false, ...how })
			kills.add(kill)
			return guest
		},
		kill: (how = {}) => [...kills].forEach((kill) => void kill(how)),
		drop: async () => undefined,
		layers: () => [],
		stats: () => [],
		close: async () => undefined,
	}
}

function startGuest(program: Program, job: SandboxJob, onGone: () => void) {
	const waiting = new Map<number, { resolve(value: never): void; reject(error: unknown): void }>()
	const turns: (() => void)[] = []
	const outbox: [number, string, string][] = []
	let [last, now, busy] = [0, job.startedAt, false]
	let ended: SandboxEnd | undefined
	let over = false
	const end = (result: SandboxEnd) => {
		if (over) return
		over = true
		onGone()
		job.onEnd(result)
	}
	const pump = () => {
		const turn = turns.shift()
		if (!turn || over) {
			busy = false
			return
		}
		turn()
		setImmediate(() => {
			for (const [n, method, args] of outbox.splice(0)) if (!over) job.onEffect(n, method, args)
			if (ended) end(ended)
			setImmediate(pump)
		})
	}
	const run = (turn: () => void) => {
		turns.push(turn)
		if (busy) return
		busy = true
		setImmediate(pump)
	}
	const issue = (method: string, args: unknown = {}) => {
		outbox.push([++last, method, JSON.stringify(args)])
		return last
	}
	const guest: Guest = {
		inputs: JSON.parse(job.inputs),
		issue,
		effect: (method, args) =>
			new Promise((resolve, reject) => {
				waiting.set(issue(method, args), { resolve, reject })
			}),
		forge: (n, method, args) => void outbox.push([n, method, args]),
		now: () => now,
		delivered: [],
	}
	run(() => {
		program(guest).then(
			(output) => {
				ended = { ok: true, output: JSON.stringify(output ?? null) }
			},
			(error: { code?: string; message?: string }) => {
				ended = { ok: false, code: 'agent_error', message: String(error.message), cause: error.code }
			},
		)
	})
	return {
		end,
		deliver(n: number, ok: boolean, json: string, at: number) {
			run(() => {
				now = at
				guest.delivered.push(n)
				const waiter = waiting.get(n)
				if (ok) waiter?.resolve(JSON.parse(json) as never)
				else waiter?.reject(Object.assign(new Error(), JSON.parse(json)))
			})
		},
		stop() {
			over = true
			onGone()
		},
	}
}
