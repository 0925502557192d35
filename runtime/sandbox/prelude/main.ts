/**
 * The guest's own code: becomes a snapshot, so that a fresh context has it at once. Knows no Node. The host takes
 * `__entry` away before any code of the owner runs and calls nothing else; only texts and numbers cross.
 */
import type { GuestAgent } from '../../../bundles/index.ts'
import type { Context } from '../../../bundles/types/index.d.ts'
import { deliver, drain, EffectFailure, end } from './bridge.ts'
import { addBuiltinTools } from './builtin-tools.ts'
import { installClock, startClock } from './clock.ts'
import { cut, installConsole, log, toJson } from './console.ts'
import { context } from './context.ts'
import { define, fixBuffers, removeGlobals } from './globals.ts'
import { agentLoop } from './loop.ts'
import { installRandom, seedRandom } from './random.ts'
import { installStandard } from './standard.ts'
import { run } from './state.ts'
import { installTextCoding } from './text-coding.ts'
import { messageOf, registerTools } from './tools.ts'
import { installUrl } from './url.ts'

type Program = (inputs: unknown, ctx: Context) => unknown

const MAX_MESSAGE_CHARS = 4_000
const { parse } = JSON
let program: Program | undefined

fixBuffers()
installClock()
installRandom()
installConsole()
installStandard()
installTextCoding()
installUrl()

const operations = {
	/** When the context is made. */
	open: removeGlobals,
	/** Before the agent's scripts are evaluated. */
	begin(agent: string, inputs: string, seed: string, at: number): void {
		startClock(at)
		seedRandom(seed)
		run.agent = parse(agent) as GuestAgent
		run.context = context
		run.inputs = parse(inputs) as Record<string, unknown>
		define(globalThis, '__berth', {
			tools: registerTools,
			agent(value: unknown) {
				if (typeof value !== 'function')
					throw new TypeError('the default export of agent.ts must be agent(…)')
				program = value as Program
			},
		})
	},
	/** After them. */
	go(): void {
		Reflect.deleteProperty(globalThis, '__berth')
		addBuiltinTools()
		void execute()
	},
	deliver,
	/** An error that the host saw at the end of a turn: a rejection that nothing handles. */
	unhandled(message: string): void {
		log('warn', `Unhandled rejection: ${message}`)
	},
	drain,
}

async function execute(): Promise<void> {
	try {
		const output = program ? await program(run.inputs, context) : await agentLoop()
		end(true, toJson(output === undefined ? null : output))
	} catch (error) {
		end(false, failureOf(error))
	}
}

/** The failure as text, whatever was thrown: reading it may run code of the owner, here and now, within this turn. */
function failureOf(error: unknown): string {
	let code = 'agent_error'
	try {
		if (error instanceof EffectFailure) code = String(error.code)
	} catch {}
	return toJson({ code, message: cut(messageOf(error), MAX_MESSAGE_CHARS) })
}

/** Catches everything: an error that left here would be read outside the time limit of the turn. */
define(globalThis, '__entry', (name: keyof typeof operations, ...args: never[]): string => {
	try {
		return (operations[name] as (...args: never[]) => string | undefined)(...args) ?? ''
	} catch {
		return ''
	}
})
