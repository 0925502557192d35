// Preloaded into a host (`--import file:…/clock.mjs?offset=FILE`) and, by it, into its runtime: their clock is off by as many
// milliseconds as stand in that file, from a few hundredths of a second after they were written there.
import childProcess from 'node:child_process'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const file = new URL(import.meta.url).searchParams.get('offset') ?? ''
const lookMs = 20
const real = Date
let offset = 0
const look = () => {
	offset = Number(readFileSync(file, 'utf8')) || 0
}
look()
setInterval(look, lookMs).unref()

const now = () => real.now() + offset
globalThis.Date = new Proxy(real, {
	construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [now()], self),
	apply: () => new real(now()).toString(),
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

const { spawn } = childProcess
childProcess.spawn = (command, args, options) => {
	const at = Array.isArray(args) ? args.findIndex((arg) => String(arg).endsWith('runtime.mjs')) : -1
	return at < 0
		? spawn(command, args, options)
		: spawn(command, args.toSpliced(at, 0, '--import', import.meta.url), options)
}
syncBuiltinESMExports()
