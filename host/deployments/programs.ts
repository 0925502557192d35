import type { OwnTool } from '../../bundles/index.ts'
import { runCeilings } from '../config.ts'
import type { Host } from '../context.ts'
import { Problem } from '../errors.ts'
import { errorOf, invalid } from './invalid.ts'
import type { OpenedBundle } from './upload.ts'

/** Of a check, those of other accounts before it included. */
const checkMaxMs = 90_000
/** Bundles whose programs load, the oldest first: of a dry run and the create after it, one is enough. */
const known = new Set<string>()
const knownMax = 1_000

/** Programs must load, and declare tools that can be offered. */
export async function requirePrograms(host: Host, accountId: string, bundle: OpenedBundle): Promise<void> {
	const key = `${bundle.digest} ${memoryMb(host, bundle)}`
	if (!known.has(key)) await loadPrograms(host, accountId, bundle)
}

/** The tools of its programs, which are loaded for it. */
export async function loadPrograms(host: Host, accountId: string, bundle: OpenedBundle): Promise<OwnTool[]> {
	const { scripts, digest } = bundle
	if (scripts.length === 0) return []
	const args = { owner: accountId, scripts, memoryMb: memoryMb(host, bundle) }
	const { faults, tools } = await host.runtime
		.call('programs.check', args, { timeoutMs: checkMaxMs })
		.catch((cause: unknown) => {
			throw new Problem('overloaded', 'The bundle’s programs could not be loaded just now.', {
				headers: { 'retry-after': '5' },
				cause,
			})
		})
	if (faults.length > 0) throw invalid(faults.map(errorOf))
	remember(`${digest} ${args.memoryMb}`)
	return tools
}

function remember(key: string): void {
	known.add(key)
	const [oldest] = known
	if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
}

const memoryMb = ({ config }: Host, { agent }: OpenedBundle) =>
	Math.min(agent.limits.memory_mb, runCeilings(config).memory_mb ?? Infinity)
