/**
 * What the isolation costs: CPU and latency of a warm run with three effects, memory of
 * idle isolates and processes, a cold start with and without a spare. Effects are answered at once.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandboxes } from '../../runtime/process/sandboxes/index.ts'
import { calls, type Guest, openSandboxes, runGuest, startGuest, text } from '../kit/guests.ts'

const ms = (value: number) => `${value.toFixed(2)} ms`
const ownCpuMs = () => {
	const { user, system } = process.cpuUsage()
	return (user + system) / 1_000
}

/** The standard loop: a model call, a connector's tool, a model call. */
const guest: Guest = { agent: { prompt: 'You help {{name}}.' }, inputs: { name: 'Ann' } }
const answer = ({ n, method }: { n: number; method: string }) =>
	method === 'model'
		? n === 1
			? calls({ id: 'c', name: 't', input: { q: 1 } })
			: text('done')
		: { ok: true, output: 'x' }

function proc(pid: number, file: string, field: RegExp): number {
	return Number(field.exec(readFileSync(`/proc/${pid}/${file}`, 'latin1'))?.[1] ?? Number.NaN)
}

function cpuOf(pids: number[]): number {
	return pids.reduce((sum, pid) => {
		const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
		return sum + (Number(fields[11]) + Number(fields[12])) * 10
	}, 0)
}

const busy = (sandboxes: Sandboxes) =>
	sandboxes.stats().flatMap(({ deployment, pid }) => (deployment ? [pid] : []))

async function warm(
	sandboxes: Sandboxes,
	callers: number,
	runs: number,
	say: (line: string) => void,
): Promise<void> {
	const taken: number[] = []
	let left = runs
	const one = async () => {
		while (left-- > 0) {
			const began = performance.now()
			const { end } = await runGuest(sandboxes, guest, answer)
			if (!end.ok) throw new Error(end.message)
			taken.push(performance.now() - began)
		}
	}
	const pids = busy(sandboxes)
	const [own, theirs, began] = [ownCpuMs(), cpuOf(pids), performance.now()]
	await Promise.all(Array.from({ length: callers }, one))
	const after = busy(sandboxes)
	const cpu = cpuOf(after) - theirs
	const [runtime, sandbox] = [(ownCpuMs() - own) / runs, cpu / runs]
	taken.sort((a, b) => a - b)
	const at = (share: number) => ms(taken[Math.floor(share * (taken.length - 1))]!)
	say(
		`${callers} callers: CPU a run ${ms(runtime + sandbox)} (runtime's side ${ms(runtime)}, sandbox ${ms(sandbox)}), ` +
			`p50 ${at(0.5)}, p99 ${at(0.99)}, ${Math.round((1_000 * runs) / (performance.now() - began))} runs/s, ${after.length} processes`,
	)
}

async function memory(): Promise<void> {
	const sandboxes = await openSandboxes({ warmSpares: 1 })
	const [spare] = sandboxes.stats()
	const mib = (pid: number) => proc(pid, 'status', /VmRSS:\s+(\d+)/) / 1_024
	const pss = proc(spare!.pid, 'smaps_rollup', /Pss:\s+(\d+)/) / 1_024
	const dirty = proc(spare!.pid, 'smaps_rollup', /Private_Dirty:\s+(\d+)/) / 1_024
	const before = mib(spare!.pid)
	console.log(
		`spare process: RSS ${before.toFixed(0)} MiB, PSS ${pss.toFixed(0)} MiB, private dirty ${dirty.toFixed(0)} MiB`,
	)
	const waiting = Array.from({ length: 100 }, () => startGuest(sandboxes, guest, () => undefined))
	while (waiting.some(({ sent }) => sent.length === 0)) await sleep(20)
	console.log(`isolate that waits on a model: ${((mib(spare!.pid) - before) / 100).toFixed(2)} MiB`)
	await sandboxes.close()
}

async function cold(): Promise<void> {
	const began = performance.now()
	const sandboxes = await openSandboxes({ warmSpares: 1 })
	console.log(`first process ready after ${ms(performance.now() - began)}`)
	const first = async (deployment: string) => {
		const start = performance.now()
		await runGuest(sandboxes, { ...guest, deployment }, answer)
		return performance.now() - start
	}
	console.log(
		`first run of a deployment, from a spare: ${ms(await first('dep_1'))}; without: ${ms(await first('dep_2'))}`,
	)
	await sandboxes.close()
}

export async function benchSandbox(quick: boolean): Promise<void> {
	await cold()
	await memory()
	const sandboxes = await openSandboxes({ warmSpares: 0 })
	// Compiled code and grown heaps first: what is measured is the warm path.
	await warm(sandboxes, 1, 500, () => {})
	for (const callers of [1, 32, 200]) await warm(sandboxes, callers, quick ? 1_000 : 5_000, console.log)
	await sandboxes.close()
}
