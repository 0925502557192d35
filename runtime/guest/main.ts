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
import { cut, installConsole, log, toJson } from './console.ts'
import { context } from './context.ts'
import { define, removeGlobals } from './globals.ts'
import { agentLoop } from './loop.ts'
import { installRandom, seedRandom } from './random.ts'
import { expectOwnersCode, stackOf } from './stack.ts'
import { installStandard } from './standard.ts'
import { run } from './state.ts'
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
	run.agent = parse(agent) as GuestAgent
	run.context = context
	run.inputs = parse(inputs) as Record<string, unknown>
	define(globalThis, '__berth', {
		tools: registerTools,
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
	addBuiltinTools()
	void execute()
}

async function execute(): Promise<void> {
	try {
		const output = program ? await program(run.inputs, context) : await agentLoop()
		end(true, toJson(output === undefined ? null : output))
	} catch (error) {
		end(false, failureOf(error), stackOf(error))
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
	if (name === 'drain') return drain()
	if (name === 'left') return left()
	try {
		if (name === 'deliver') deliver(a, b, c, d)
		else if (name === 'begin') begin(a, b, c, d)
		else if (name === 'go') go()
		else if (name === 'open') removeGlobals()
		// A rejection that nothing handles, as the host saw it at the end of a turn.
		else if (name === 'unhandled') log('warn', `Unhandled rejection: ${a}`, undefined, b || undefined)
	} catch {
		// Whatever it was, it was the guest's, and the turn goes on.
	}
	return ''
})
