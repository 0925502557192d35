/** The host of one trial: its journal, memory and decisions, held in this process and gone with it. */
import type { HostCalls } from '../../wire/host-calls.ts'
import type { Entry, RunOutcome, Usage } from '../../wire/journal.ts'
import type { RunBegin } from '../../wire/runtime-calls.ts'
import type { Engine, Services } from '../engine/index.ts'
import { trialFiles } from './files.ts'
import { trialMemory } from './memory.ts'
import type { Asked, TrialRequest } from './types.ts'

export interface TrialHost {
	/** For the engine. */
	link: Services['host']
	/** Resolves with the run's end. Rejects with what a script threw. */
	run(engine: Engine, begin: RunBegin): Promise<{ outcome: RunOutcome; usage: Usage }>
	/** Ends the trial with this error. */
	fail(error: unknown): void
	entries: Entry[]
	memory(): Record<string, string>
	files(): Record<string, Uint8Array>
}

export function trialHost({ bundle, memory: kept, files: given, approve }: TrialRequest): TrialHost {
	const entries: Entry[] = []
	const end = Promise.withResolvers<{ outcome: RunOutcome; usage: Usage }>()
	const memory = trialMemory(kept)
	const files = trialFiles(given)
	const decisions = new Map<string, Awaited<ReturnType<TrialRequest['approve']>>>()
	let asking: Promise<unknown> = Promise.resolve()
	let engine: Engine | undefined
	let begun: RunBegin | undefined

	const decide = async ({ data }: Entry) => {
		decisions.set(String(data.id), await approve(data as unknown as Asked))
		if (begun) engine?.decided(begun.run)
	}
	/** A run that only waits for decisions has left the engine: it goes on from its journal, as at a host. */
	const goOn = () => {
		if (!begun) return
		begun = { ...begun, epoch: begun.epoch + 1, attempt: begun.attempt + 1, journal: [...entries] }
		engine?.begin(begun)
	}
	const keep = (added: Entry[]) => {
		entries.push(...added)
		for (const entry of added) {
			if (entry.type === 'approval.requested') asking = Promise.all([asking, decide(entry)])
			if (entry.type === 'run.waiting' && !entry.data.held) asking = asking.then(goOn)
			asking.catch(end.reject)
		}
	}
	const calls: Partial<HostCalls> = {
		...memory.calls,
		...files.calls,
		'bundle.get': () => bundle,
		'run.commit': ({ entries: added }) => {
			keep(added)
			return {}
		},
		'run.end': ({ entries: added, outcome, usage }) => {
			keep(added)
			end.resolve({ outcome, usage })
			return {}
		},
		'approval.get': ({ id }) => ({ decision: decisions.get(id) ?? null }),
		'tools.lock': ({ tools }) => ({
			locks: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])),
		}),
	}
	return {
		link: {
			notify: () => undefined,
			async call(method: keyof HostCalls, args: unknown): Promise<never> {
				const answer = calls[method] as ((args: unknown) => unknown) | undefined
				if (!answer) throw new Error(`a trial has no ${method}`)
				return structuredClone(await answer(args)) as never
			},
		},
		async run(own, begin) {
			engine = own
			begun = begin
			own.begin(begin)
			return end.promise
		},
		fail: end.reject,
		entries,
		memory: memory.files,
		files: files.made,
	}
}
