/**
 * A year of a fleet in cells, simulated event by event: hosts, Postgres primaries and whole cells fail and come back. A
 * cell is one Postgres with its hosts; an account belongs to one cell. What a run and a host cost is measured
 * (test/README.md); how often things fail is assumed, and said below.
 */

/** CPU milliseconds of one run, 200 callers, no code; bytes of WAL; 2 cores a host. Seconds of leases are the defaults. */
export const measured = {
	hostMs: 0.49 + 1.1 + 0.18,
	databaseMs: 0.44,
	walBytes: 6_608,
	hostCores: 2,
	/** Pool, lease and LISTEN. */
	connectionsPerHost: 12,
	leaseSeconds: 12,
	/** Webhooks, schedules, lease, master key, take-over: of a host that does nothing. */
	idleStatementsPerSecond: 5,
}

/** A guess of what machines and clouds do, on the dear side. Days between two failures of one; seconds until it is back. */
export const assumed = {
	host: { days: 30, seconds: 180 },
	primary: { days: 90, seconds: 60 },
	cell: { days: 365, seconds: 1800 },
	/** No core is planned to be busier than this. */
	busiest: 0.7,
	runSeconds: 10,
	databaseCores: 16,
	connections: 500,
}

export const capacity = {
	host: (assumed.busiest * measured.hostCores * 1000) / measured.hostMs,
	database: (assumed.busiest * assumed.databaseCores * 1000) / measured.databaseMs,
	hostsByConnections: Math.floor(assumed.connections / measured.connectionsPerHost),
}

export interface Year {
	cells: number
	runs: number
	/** Calls that were answered 503 or not at all, and had to be made again. */
	refused: number
	/** Runs that stood still until another host took them over. */
	takenOver: number
	failures: { host: number; primary: number; cell: number }
	/** Of the accounts, how many the worst event stopped at once; and the longest time that any account was stopped. */
	worstShare: number
	longestSeconds: number
}

type Kind = 'host' | 'primary' | 'cell'
interface Event {
	at: number
	cell: number
	kind: Kind
	back: boolean
}

const daySeconds = 86_400
const yearSeconds = 365 * daySeconds
/** Each with a seed of its own. */
const years = 20

export function simulate({
	hosts,
	perCell,
	load = 0.5,
	seed = 1,
	rates = assumed,
}: {
	hosts: number
	perCell: number
	/** Of what all hosts can do. */
	load?: number
	seed?: number
	rates?: Pick<typeof assumed, Kind>
}): Year {
	const random = numbers(seed)
	const count = Math.ceil(hosts / perCell)
	const cells = Array.from({ length: count }, (_, n) => {
		const own = Math.min(perCell, hosts - n * perCell)
		// Accounts are not alike: a cell gets between half and one and a half times its share.
		const wanted = load * own * capacity.host * (0.5 + random())
		const most = Math.min(own * capacity.host, capacity.database)
		return { hosts: own, alive: own, stops: 0, stoppedAt: 0, since: 0, calls: Math.min(wanted, most) }
	})
	const all = cells.reduce((sum, { calls }) => sum + calls, 0)
	const year: Year = {
		cells: count,
		runs: 0,
		refused: 0,
		takenOver: 0,
		failures: { host: 0, primary: 0, cell: 0 },
		worstShare: 0,
		longestSeconds: 0,
	}
	const settle = (n: number, until: number) => {
		const cell = cells[n]!
		const room = cell.stops > 0 ? 0 : Math.min(cell.alive * capacity.host, capacity.database)
		const seconds = Math.min(until, yearSeconds) - cell.since
		year.runs += seconds * Math.min(cell.calls, room)
		year.refused += seconds * Math.max(0, cell.calls - room)
		cell.since = until
	}
	const nextOf = (cell: number, kind: Kind, of: number, from: number): Event => ({
		at: from - Math.log(1 - random()) * ((rates[kind].days * daySeconds) / of),
		cell,
		kind,
		back: false,
	})
	const events = queue(
		cells.flatMap(({ hosts: own }, n) => [
			nextOf(n, 'host', own, 0),
			nextOf(n, 'primary', 1, 0),
			nextOf(n, 'cell', 1, 0),
		]),
	)
	for (let event = events.take(); event && event.at < yearSeconds; event = events.take()) {
		const { cell: n, kind, at, back } = event
		const cell = cells[n]!
		settle(n, at)
		if (!back) {
			year.failures[kind]++
			events.put({ ...event, at: at + rates[kind].seconds, back: true })
			events.put(nextOf(n, kind, kind === 'host' ? cell.hosts : 1, at))
		}
		if (kind === 'host') {
			if (!back && cell.alive > 0) year.takenOver += (cell.calls / cell.alive) * assumed.runSeconds
			cell.alive += back ? 1 : cell.alive > 0 ? -1 : 0
			if (cell.alive > cell.hosts) cell.alive = cell.hosts
			continue
		}
		if (!back && cell.stops++ === 0) cell.stoppedAt = at
		if (!back) year.worstShare = Math.max(year.worstShare, cell.calls / all)
		if (back && --cell.stops === 0) year.longestSeconds = Math.max(year.longestSeconds, at - cell.stoppedAt)
	}
	for (const n of cells.keys()) settle(n, yearSeconds)
	return year
}

/** The next one first. */
function queue(events: Event[]) {
	const order = (a: Event, b: Event) => b.at - a.at
	const sorted = events.toSorted(order)
	return {
		take: () => sorted.pop(),
		put(event: Event): void {
			let [low, high] = [0, sorted.length]
			while (low < high) {
				const middle = (low + high) >> 1
				if (order(sorted[middle]!, event) < 0) low = middle + 1
				else high = middle
			}
			sorted.splice(low, 0, event)
		},
	}
}

/** The same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
	let state = seed
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let t = Math.imul(state ^ (state >>> 15), 1 | state)
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
	}
}

export async function benchCells(): Promise<void> {
	const { host, database, hostsByConnections } = capacity
	const figure = (n: number) => Math.round(n).toLocaleString('en-US')
	console.log(
		`A host carries ${figure(host)} runs/s. One Postgres carries ${figure(database)} runs/s by CPU (${figure((database * measured.walBytes) / 1e6)} MB/s of WAL), ${hostsByConnections} hosts by connections.`,
	)
	console.log(
		'| hosts | cells | runs/s | of a million: calls refused | runs taken over | accounts stopped at once | longest stop, s |',
	)
	console.log('|-:|-:|-:|-:|-:|-:|-:|')
	for (const hosts of [10, 30, 100, 300, 1000]) {
		for (const perCell of new Set([hosts, Math.min(hosts, 25)])) {
			const all = Array.from({ length: years }, (_, n) => simulate({ hosts, perCell, seed: n + 1 }))
			const sum = (of: (year: Year) => number) => all.reduce((so, year) => so + of(year), 0)
			const most = (of: (year: Year) => number) => Math.max(...all.map(of))
			const runs = sum((year) => year.runs)
			const refused = sum((year) => year.refused)
			const row = [
				hosts,
				all[0]?.cells,
				figure(runs / years / yearSeconds),
				((refused / (runs + refused)) * 1e6).toFixed(0),
				((sum((year) => year.takenOver) / runs) * 1e6).toFixed(1),
				`${(most((year) => year.worstShare) * 100).toFixed(0)} %`,
				figure(most((year) => year.longestSeconds)),
			]
			console.log(`| ${row.join(' | ')} |`)
		}
	}
}
