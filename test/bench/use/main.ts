/**
 * A run as users have it: default settings, a tool that nobody marked as repeatable, the chat interface, two streamed
 * model calls and one MCP call. Berth and all it is compared with are measured in turn; a figure is the median of three
 * rounds.
 */
import { cpus } from 'node:os'
import { type Program, program } from '../berth.ts'
import { peerSide } from '../peers/index.ts'
import { writePage } from './page.ts'
import { chosenRows, kinds, nameOf, type Row } from './rows.ts'
import { bareSide, berthSide, type Measured, type Servers, type Side } from './sides.ts'

export interface UseOptions {
	quick: boolean
	/** Folders of other checkouts, which have been built, and names of peers. */
	against: string[]
	/** Of rows, where not all are wanted. */
	rows: string | undefined
	/** Writes RESULTS.md and its plot. */
	write: boolean
}

export interface Result {
	row: Row
	side: string
	says: string
	figures: Measured
}

const ROUNDS = 3
const CALLS = 400
/** Of each caller and deployment before every round: V8 shrinks and forgets while the other sides have their turn. */
const WARM = 10

export async function benchUse({ quick, against, rows: named, write }: UseOptions): Promise<void> {
	const rows = chosenRows(quick, named)
	const results: Result[] = []
	const refused: string[] = []
	console.log(
		'\n| agent | cores | callers | deployments | side | p50 ms | p99 ms | runs/s | CPU s per 1,000 runs | host | runtime | sandboxes | database | MB after | WAL bytes a run |',
	)
	console.log(`|${'-|'.repeat(15)}`)
	for (const cores of [2, 1] as const) {
		const wanted = rows.filter((row) => row.cores === cores)
		if (wanted.length === 0) continue
		// The servers that all ask have the other cores to themselves, where a side has one.
		const [own, others] = cores === 1 && cpus().length > 1 ? ['0', `1-${cpus().length - 1}`] : []
		const { servers, close } = await openServers(others)
		const sides: Side[] = []
		try {
			sides.push(await berthSide('berth', '', servers, own))
			sides.push(await bareSide(servers, own))
			for (const other of against) {
				try {
					if (other.includes('/')) sides.push(await berthSide(other, other, servers, own))
					else sides.push(await peerSide(other, servers, own))
				} catch (error) {
					refused.push(`${other}: ${(error as Error).message}`)
				}
			}
			for (const row of wanted) results.push(...(await compare(row, sides, refused)))
		} finally {
			for (const side of sides) await side.close().catch(() => undefined)
			await close()
		}
	}
	for (const line of new Set(refused)) console.log(`Not measured: ${line}`)
	if (write) writePage(results, [...new Set(refused)])
}

async function openServers(cpus: string | undefined): Promise<{ servers: Servers; close(): Promise<void> }> {
	const usage = { input: 200, output: 20 }
	const turns = (delayMs: number) => [
		{ calls: [{ name: 'echo', input: { text: 'hello' } }], delayMs, usage },
		{ text: 'It said hello.', delayMs, usage },
	]
	const scripts = JSON.stringify({ m0: turns(0), m300: turns(300) })
	const model = program('test/kit/model-server.ts', [scripts], {}, cpus)
	const mcp = program('test/bench/tool-server.ts', [], {}, cpus)
	const address = ({ line }: Program) =>
		line((text) => (text.startsWith('{') ? (JSON.parse(text) as { url: string }).url : undefined))
	const [modelUrl, mcpUrl] = await Promise.all([address(model), address(mcp)])
	return {
		servers: { modelUrl, mcpUrl },
		async close() {
			await Promise.allSettled([model.stop(), mcp.stop()])
		},
	}
}

/** A peer whose run fails is closed, told in `refused` and measured no more; Berth's own failure ends the bench. */
async function compare(row: Row, all: Side[], refused: string[]): Promise<Result[]> {
	const { kind, callers, deployments, cores } = row
	const calls = Math.max(CALLS, callers * 4, deployments * 10)
	const rounds = new Map(all.filter((side) => side.takes(row)).map((side) => [side, [] as Measured[]]))
	const warm = Math.min(callers, deployments + 31) * WARM
	for (let round = 0; round < ROUNDS; round++)
		for (const [side, seen] of rounds)
			try {
				await side.measure(row, warm)
				seen.push(await side.measure(row, calls))
			} catch (error) {
				if (side.name === 'berth') throw error
				refused.push(`${side.name}, from ${nameOf(row)} on: ${(error as Error).message}`)
				rounds.delete(side)
				all.splice(all.indexOf(side), 1)
				await side.close().catch(() => undefined)
			}
	return [...rounds].map(([{ name, says }, seen]) => {
		const figures = middle(seen)
		console.log(
			`| ${kinds[kind].says} | ${cores} | ${callers} | ${deployments} | ${name} | ${cells(figures).join(' | ')} |`,
		)
		return { row, side: name, says, figures }
	})
}

export function cells({ p50, p99, perSecond, cpu, parts, memoryMb, wal }: Measured): string[] {
	const by = ['host', 'runtime', 'sandboxes', 'database'] as const
	return [
		...[p50.toFixed(1), p99.toFixed(1), perSecond.toFixed(0), cpu.toFixed(2)],
		...by.map((part) => parts?.[part].toFixed(2) ?? ''),
		...[memoryMb.toFixed(0), wal?.toFixed(0) ?? ''],
	]
}

/** Each figure's median, by itself. */
function middle(rounds: Measured[]): Measured {
	const of = (pick: (one: Measured) => number) => {
		const sorted = rounds.map(pick).sort((a, b) => a - b)
		return sorted[Math.floor(sorted.length / 2)] as number
	}
	const figures: Measured = {
		p50: of((one) => one.p50),
		p99: of((one) => one.p99),
		perSecond: of((one) => one.perSecond),
		cpu: of((one) => one.cpu),
		memoryMb: of((one) => one.memoryMb),
	}
	if (!rounds[0]?.parts) return figures
	const part = (name: keyof NonNullable<Measured['parts']>) => of((one) => one.parts?.[name] ?? 0)
	const parts = {
		host: part('host'),
		runtime: part('runtime'),
		sandboxes: part('sandboxes'),
		database: part('database'),
	}
	return { ...figures, parts, wal: of((one) => one.wal ?? 0) }
}
