/**
 * The guest program: becomes a snapshot, so that a fresh context has it at once. Knows no Node. The host takes
 * `__entry` away before any code of the owner runs and calls nothing else; only texts and numbers cross.
 */
import type { GuestAgent } from '../../bundles/index.ts'
import type { Context } from '../../bundles/types/index.d.ts'
import { deliver, drain, EffectFailure, end, left } from './bridge.ts'
import { fixBuffers } from './buffers.ts'
import { addBuiltinTools } from './builtin-tools.ts'
import { installClock, startClock } from './clock.ts'
import { installConsole, log } from './console.ts'
import { contextOf } from './context.ts'
import { define, removeGlobals } from './globals.ts'
import { cut, jsonOfReturned } from './inspect.ts'
import { agentLoop } from './loop.ts'
import { installRandom, seedRandom } from './random.ts'
import { answer, forget, share, start, take } from './shared.ts'
import { expectOwnersCode, stackOf } from './stack.ts'
import { installStandard } from './standard.ts'
import { newRun, own, type RunState } from './state.ts'
import { installTextCoding } from './text-coding.ts'
import { messageOf, registerTools } from './tools.ts'
import { installUrl } from './url.ts'

type Program = (inputs: unknown, ctx: Context) => unknown

const MAX_MESSAGE_CHARS = 4_000
const { parse, stringify } = JSON
let program: Program | undefined

fixBuffers()
installClock()
installRandom()
installConsole()
installStandard()
installTextCoding()
installUrl()

/** Before the agent's scripts are evaluated. */
function begin(agent: string, inputs: string, seed: string, at: number): void {
	startClock(at)
	seedRandom(seed)
	const run = newRun(parse(agent) as GuestAgent, parse(inputs) as Record<string, unknown>)
	run.context = contextOf(run)
	own.run = run
	define(globalThis, '__berth', {
		tools: (skill: string, exports: Record<string, unknown>) => registerTools(run, skill, exports),
		agent(value: unknown) {
			if (typeof value !== 'function') throw new TypeError('the default export of agent.ts must be agent(…)')
			program = value as Program
			expectOwnersCode()
		},
	})
}

/** After them. */
function go(): void {
	Reflect.deleteProperty(globalThis, '__berth')
	if (own.run) execute(own.run)
}

function execute(run: RunState): void {
	addBuiltinTools(run)
	void outputOf(run)
}

async function outputOf(run: RunState): Promise<void> {
	try {
		const output = program && run.context ? await program(run.inputs, run.context) : await agentLoop(run)
		end(run, true, jsonOfReturned(output))
	} catch (error) {
		end(run, false, failureOf(error), stackOf(error))
	}
}

/** The failure as text, whatever was thrown: reading it may run code of the owner, here and now, within this turn. */
function failureOf(error: unknown): string {
	let code = 'agent_error'
	try {
		if (error instanceof EffectFailure) code = String(error.code)
	} catch {}
	return `{"code":${stringify(code)},"message":${stringify(cut(messageOf(error), MAX_MESSAGE_CHARS))}}`
}

/**
 * All that the host calls. It catches everything: an error that left here would be read outside the time limit of the
 * turn. `drain` and `left` are called without one, so nothing in their way may be replaceable: no spread, no method of a built-in.
 */
define(globalThis, '__entry', (name: string, a: never, b: never, c: never, d: never): string => {
	const { run } = own
	if (name === 'drain') return run ? drain(run) : ''
	if (name === 'left') return run ? left(run) : ''
	if (name === 'take') return take(a)
	try {
		if (name === 'deliver' && run) deliver(run, a, b, c, d)
		else if (name === 'answer') answer(a, b, c, d)
		else if (name === 'start') start(a, b, execute)
		else if (name === 'begin') begin(a, b, c, d)
		else if (name === 'go') go()
		else if (name === 'open') removeGlobals()
		else if (name === 'forget') forget(a)
		else if (name === 'share') return share(a)
		// A rejection that nothing handles, as the host saw it at the end of a turn.
		else if (name === 'unhandled') log('warn', `Unhandled rejection: ${a}`, undefined, b || undefined)
	} catch {
		// Whatever it was, it was the guest's, and the turn goes on.
	}
	return ''
})
