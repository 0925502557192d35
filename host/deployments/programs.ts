import { defaultLimits, type OwnTool } from '../../bundles/index.ts'
import { Problem } from '../http/errors.ts'
import { runCeilings } from '../settings/config.ts'
import { allAtOnce, errorOf, invalid } from './invalid.ts'
import type { BundleParts } from './parts.ts'
import type { OpenedBundle, Upload } from './upload.ts'

/** Of a check, those of other accounts before it included. */
const checkMaxMs = 90_000
/** Bundles whose programs load, the oldest first: of a dry run and the create after it, one is enough. */
const known = new Set<string>()
const knownMax = 1_000

/** Programs must load, and declare tools that can be offered. */
export async function requirePrograms(
	parts: BundleParts,
	accountId: string,
	bundle: OpenedBundle,
): Promise<void> {
	const key = `${bundle.digest} ${memoryMb(parts, bundle)}`
	if (!known.has(key)) await loadPrograms(parts, accountId, bundle)
}

/** The tools of its programs, which are loaded for it. */
export async function loadPrograms(
	parts: BundleParts,
	accountId: string,
	bundle: OpenedBundle,
): Promise<OwnTool[]> {
	const memory = memoryMb(parts, bundle)
	const tools = await checkScripts(parts, accountId, bundle.scripts, memory)
	known.add(`${bundle.digest} ${memory}`)
	const [oldest] = known
	if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
	return tools
}

/** A bundle without faults of its own, or all of them with those of its programs. */
export async function openWhole(
	parts: BundleParts,
	accountId: string,
	upload: Upload,
): Promise<OpenedBundle> {
	const { opened } = upload
	if (!('faults' in opened)) return opened
	await allAtOnce([
		() => openBundle(upload),
		() => checkScripts(parts, accountId, opened.scripts, defaultLimits.memory_mb),
	])
	return openBundle(upload)
}

/** The bundle, or its faults at once. */
export function openBundle({ opened }: Upload): OpenedBundle {
	if (!('faults' in opened)) return opened
	throw invalid(opened.faults.map(errorOf))
}

async function checkScripts(
	parts: BundleParts,
	owner: string,
	scripts: OpenedBundle['scripts'],
	memoryMb: number,
): Promise<OwnTool[]> {
	if (scripts.length === 0) return []
	const { faults, tools } = await parts.runtime
		.call('programs.check', { owner, scripts, memoryMb }, { timeoutMs: checkMaxMs })
		.catch((cause: unknown) => {
			throw new Problem('overloaded', 'The bundle’s programs could not be loaded just now.', {
				headers: { 'retry-after': '5' },
				cause,
			})
		})
	if (faults.length > 0) throw invalid(faults.map(errorOf))
	return tools
}

const memoryMb = ({ config }: BundleParts, { agent }: OpenedBundle) =>
	Math.min(agent.limits.memory_mb, runCeilings(config).memory_mb ?? Infinity)
