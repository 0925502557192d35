/**
 * `npm run bench [-- --quick] [--rows ROWS] [--against OTHERS] [--write] [PART …]`: figures, not tests. Ratios within one
 * run are what can be compared, the machine's own speed drifts. Parts: use, start, idle, run, sandbox, durability, neighbour,
 * soak, cells, guard, or `all` of them; `use` where none is named. OTHERS, with commas: folders of other checkouts, and peers.
 */
import { cpus } from 'node:os'
import { progress } from '../../.tools/progress.mjs'

const parts: Record<string, (quick: boolean) => Promise<void>> = {
	use: async (quick) => (await import('./use/main.ts')).benchUse({ quick, against, rows, write }),
	start: async (quick) => (await import('./start.ts')).benchStart(quick),
	idle: async (quick) => (await import('./idle.ts')).benchIdle(quick),
	run: async (quick) => (await import('./run.ts')).benchRuns(quick),
	sandbox: async (quick) => (await import('./sandbox.ts')).benchSandbox(quick),
	durability: async (quick) => (await import('./durability.ts')).benchDurability(quick),
	neighbour: async (quick) => (await import('./neighbour.ts')).benchNeighbour(quick),
	soak: async (quick) => (await import('./soak.ts')).benchSoak(quick),
	cells: async () => (await import('./cells.ts')).benchCells(),
	guard: async (quick) => (await import('./guard.ts')).benchGuard(quick),
}
const words = process.argv.slice(2)
const quick = words.includes('--quick')
const write = words.includes('--write')
const against = flagged('--against')?.split(',') ?? []
const rows = flagged('--rows')
const named = words.filter((word) => !word.startsWith('-'))
const unknown = named.filter((name) => !(name in parts) && name !== 'all')
if (unknown.length > 0) {
	console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}.`)
	process.exit(2)
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
const chosen = named.includes('all') ? Object.keys(parts) : named.length > 0 ? named : ['use']
const shown = progress('bench: parts done', chosen.length)
for (const [n, name] of chosen.entries()) {
	shown.at(n, name)
	await parts[name]?.(quick)
}
shown.at(chosen.length)
shown.end()

/** Of a flag; both are taken off the words. */
function flagged(flag: string): string | undefined {
	const found = words.indexOf(flag)
	return found === -1 ? undefined : words.splice(found, 2)[1]
}
