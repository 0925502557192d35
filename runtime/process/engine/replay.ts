/**
 * A run once more, with nothing but its journal: every answer comes from there, no effect is executed, no key is opened.
 * First as it was, which gives the arguments of every effect (the journal holds their digests only); then, if another
 * bundle is to be tried, with that one, until it asks for something else.
 */
import { filePlaces, guestBundle, mapFiles, readBundle } from '../../../bundles/index.ts'
import type { Entry } from '../../wire/journal.ts'
import { digestOf, effectsOf } from '../../wire/recorded-effect.ts'
import type { Asked, ReplayResult } from '../../wire/replay.ts'
import type { RuntimeCalls } from '../../wire/runtime-calls.ts'
import type { SandboxEnd, Sandboxes } from '../sandboxes/types.ts'
import { askedOfModel } from './asked.ts'
import type { BundleCache } from './bundle-cache.ts'
import { contentOf, standInOf } from './file-content.ts'
import { fileStore } from './file-store.ts'
import { CPU_MS } from './limits.ts'
import type { Services } from './services.ts'

const REPLAY_MS = 60_000
/** A program that has asked for all it asked for, and waits, is where the run was when it was ended from outside. */
const QUIET_MS = 2_000
/** Before that it computes, for as long as its CPU time lasts. */
const SILENT_MS = 15_000

type Args = Parameters<RuntimeCalls['run.replay']>[0]
/** What it read of files, by effect: the journal has stand-ins. */
type Known = Args & { contents: Map<number, string> }
type Replayed = ReturnType<RuntimeCalls['run.replay']>

export async function replayRun(
	{ sandboxes, host }: Pick<Services, 'sandboxes' | 'host'>,
	bundles: BundleCache,
	given: Args,
): Promise<Replayed> {
	const args = { ...given, contents: await contentsOf(host, given) }
	const own = bundles.held(args.digest) ?? (await bundles.load(args.digest))
	const first = await retrace(sandboxes, own, args)
	const calls = args.tools && { calls: askedOfModel(recordedOf(first), own, args.tools) }
	if (!args.against) return { ...compare(first, undefined, args, own), ...calls }
	const other =
		'base64' in args.against
			? opened(args.against.base64)
			: (bundles.held(args.against.digest) ?? (await bundles.load(args.against.digest)))
	return { ...compare(await retrace(sandboxes, other, args, first), first, args, own), ...calls }
}

type Program = Pick<Awaited<ReturnType<BundleCache['load']>>, 'agent' | 'guest'>

function opened(base64: string): Program {
	const bundle = readBundle(Buffer.from(base64, 'base64'))
	return { agent: bundle.agent, guest: guestBundle(bundle) }
}

interface Trace {
	asked: Asked[]
	/** Number of the first effect that is not the recorded one. */
	parted: number | null
	end: SandboxEnd | null
}

/** What it asked for as it did then. */
function recordedOf({ asked, parted }: Trace): Asked[] {
	return parted === null ? asked : asked.slice(0, parted - 1)
}

/** `first`: what the run's own program asked for, which is more than the journal has where effects never began. */
function retrace(
	sandboxes: Sandboxes,
	{ agent, guest }: Program,
	args: Known,
	first?: Trace,
): Promise<Trace> {
	const { effects, closings } = effectsOf(args.journal)
	const expected = Math.max(effects.length - 1, first?.asked.length ?? 0)
	const asked: Asked[] = []
	let delivered = 0
	const parts = (n: number, method: string, text: string) => {
		const before = first?.asked[n - 1]
		const known = effects[n]?.digest ?? (before && digestOf(before.method, before.args))
		// Beyond all that is known the run's own program cannot part, nor another from one that was cut short.
		return known === undefined ? Boolean(first?.end) : known !== digestOf(method, text)
	}
	return new Promise((resolve) => {
		let quiet: NodeJS.Timeout | undefined
		const done = (parted: number | null, end: SandboxEnd | null) => {
			clearTimeout(late)
			clearTimeout(quiet)
			run.stop()
			resolve({ asked, parted, end })
		}
		const late = setTimeout(done, REPLAY_MS, null, null)
		const deliver = () => {
			for (let next = closings[delivered]; next && next.n <= asked.length; next = closings[++delivered]) {
				const { ok, result, at } = next.closing as Required<Pick<Entry, 'ok' | 'result' | 'at'>>
				run.deliver(next.n, ok, args.contents.get(next.n) ?? result, at)
			}
			clearTimeout(quiet)
			const caughtUp = delivered === closings.length && asked.length >= expected
			quiet = setTimeout(done, caughtUp && args.output === null ? QUIET_MS : SILENT_MS, null, null)
		}
		const run = sandboxes.start({
			deployment: args.deployment,
			// By itself (`alone`), so whose it is does not matter.
			account: args.deployment,
			run: `replay_of_${args.run}`,
			bundle: guest,
			prelude: args.prelude ?? undefined,
			memoryMb: agent.limits.memory_mb,
			cpuMs: CPU_MS,
			// Nothing begins it again.
			alone: true,
			inputs: args.inputs,
			seed: args.seed,
			startedAt: args.journal[0]?.at ?? 0,
			onEffect(n, method, text) {
				asked.push({ method, args: text })
				if (parts(n, method, text)) done(n, null)
				else deliver()
			},
			onEnd: (end) => done(null, end),
		})
	})
}

async function contentsOf(host: Services['host'], { run, journal }: Args): Promise<Map<number, string>> {
	const contents = new Map<number, string>()
	for (const effect of effectsOf(journal).closings) {
		const standIn = standInOf(effect)
		if (standIn) contents.set(effect.n, contentOf(standIn, await fileStore(host).bytes(run, standIn.file)))
	}
	return contents
}

/** A file of an output is the same where its id is: the stored one has what the host knows of it, too. */
function comparable({ output }: Program['agent'], text: string): string {
	return JSON.stringify(mapFiles(filePlaces(output ?? {}), JSON.parse(text), ({ file }) => ({ file })))
}

function compare(trace: Trace, first: Trace | undefined, args: Args, { agent }: Program): ReplayResult {
	const { effects } = effectsOf(args.journal)
	const expected = Math.max(effects.length - 1, first?.asked.length ?? 0)
	const { asked, parted, end } = trace
	const before = (n: number) => first?.asked[n - 1] ?? shown(args.journal, n)
	if (parted !== null) {
		return {
			same: false,
			effect: parted,
			recorded: before(parted),
			asked: asked[parted - 1] as Asked,
		}
	}
	if (asked.length < expected) {
		return { same: false, effect: asked.length + 1, recorded: before(asked.length + 1), asked: ended(end) }
	}
	if (args.output === null) {
		// It failed: where its own program ends by itself, another one that goes another way ends in another.
		const [was, is] = [ended(first?.end ?? null), ended(end)]
		if (!was || JSON.stringify(was) === JSON.stringify(is)) return { same: true, effects: asked.length }
		return { same: false, effect: asked.length + 1, recorded: was, asked: is }
	}
	const output = end?.ok ? comparable(agent, end.output) : null
	if (output === comparable(agent, args.output)) return { same: true, effects: asked.length }
	const last = { method: 'end', args: args.output }
	return { same: false, effect: asked.length + 1, recorded: last, asked: ended(end) }
}

function ended(end: SandboxEnd | null): Asked | null {
	if (!end) return null
	return {
		method: 'end',
		args: end.ok ? end.output : JSON.stringify({ code: end.code, message: end.message }),
	}
}

/** What the journal tells of an effect; its event shows long arguments shortened. Null: the run had come to its end. */
function shown(journal: readonly Entry[], n: number): Asked | null {
	const entry = journal.find(({ effect, digest }) => effect === n && digest !== undefined)
	return entry ? { method: String(entry.data.method ?? entry.type), args: JSON.stringify(entry.data) } : null
}
