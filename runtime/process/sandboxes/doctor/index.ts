/** Which layers hold on this machine: starts a sandbox with a program that tries to get out of it. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dropsCapabilities } from '../../../lib/capabilities.ts'
import { closeInherited } from '../../../lib/descriptors.ts'
import type { Attempts, Layer } from '../../../wire/layers.ts'
import { CHANNEL_FD, MARK_FD } from '../../../wire/sandbox.ts'
import { type Cgroups, tryCgroups } from '../cgroup/index.ts'
import type { Exit } from '../exit.ts'
import { type Launcher, type LaunchOptions, launchers } from '../launch/index.ts'
import { startProcess } from '../process.ts'
import { layers, type Seen } from './layers.ts'

const ANSWER_MS = 10_000
const CLOSE_ON_EXEC = 0o2000000

export interface Finding {
	layer: Layer
	holds: boolean
	what: string
	/** Where it does not hold. */
	remedy: string
}

export interface Examination {
	/** How sandboxes are started, and why not in a stronger way. */
	launcher: string
	refused: string[]
	findings: Finding[]
}

/** Of the strongest way to start a sandbox that works here. Rejects where none does. Called first in a process. */
export async function examineMachine(options: LaunchOptions): Promise<Examination> {
	closeInherited()
	const [cgroups, lacking] = tryCgroups()
	try {
		const { findings, ...how } = await examineStrongest(options, cgroups)
		const remedy = (one: Finding) =>
			lacking && one.layer === 'cgroup' ? `${one.remedy} Now: ${lacking}.` : one.remedy
		return { ...how, findings: findings.map((one) => ({ ...one, remedy: remedy(one) })) }
	} finally {
		cgroups?.close()
	}
}

async function examineStrongest(options: LaunchOptions, cgroups: Cgroups | undefined): Promise<Examination> {
	const refused: string[] = []
	for (const launcher of launchers(options)) {
		try {
			return { launcher: launcher.name, refused, findings: await examine(launcher, options.distDir, cgroups) }
		} catch (error) {
			refused.push(`${launcher.name}: ${(error as Error).message.slice(0, 300)}`)
		}
	}
	throw new Error(`No sandbox can be started on this machine: ${refused.join(' ')}`)
}

export async function examine(launcher: Launcher, distDir: string, cgroups?: Cgroups): Promise<Finding[]> {
	// Node's own permission model is left out: what is shown is what the kernel refuses.
	const kept = launcher.args.filter((arg) => arg !== '--permission' && !arg.startsWith('--allow-'))
	const args = kept.map((arg) =>
		arg === join(distDir, 'sandbox.mjs') ? join(distDir, 'sandbox-probe.mjs') : arg,
	)
	const sandbox = await startProcess({ ...launcher, args: [...args, String(process.pid)] }, cgroups)
	const end = Promise.withResolvers<Exit>()
	const overfill = async () => {
		sandbox.allow(1)
		sandbox.send(['trim'])
		return (await end.promise).outOfMemory
	}
	try {
		const answer = Promise.withResolvers<Attempts>()
		sandbox.events = {
			onFrame: (frame) => answer.resolve((frame as [Attempts])[0]),
			onExit(exit) {
				answer.reject(new Error('the probe ended'))
				end.resolve(exit)
			},
		}
		sandbox.send(['trim'])
		const timer = setTimeout(() => answer.reject(new Error('the probe does not answer')), ANSWER_MS)
		const attempts = await answer.promise.finally(() => clearTimeout(timer))
		const outside = look(sandbox.pid)
		const seen = {
			...outside,
			bounded: cgroups !== undefined && (await overfill()),
			few: dropsCapabilities(),
		}
		return Object.entries(layers).map(([layer, { what, remedy, holds }]) => ({
			layer: layer as Layer,
			holds: holds(attempts, seen),
			what,
			remedy,
		}))
	} finally {
		await sandbox.kill()
	}
}

function look(pid: number): Omit<Seen, 'bounded' | 'few'> {
	const status = read(pid, 'status')
	const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]
	return {
		uid: Number(field('Uid')),
		capabilities: field('CapEff') !== '0'.repeat(16) || field('CapPrm') !== '0'.repeat(16),
		noNewPrivileges: field('NoNewPrivs') === '1',
		filtered: field('Seccomp') === '2',
		inherited: inheritedBy(pid),
		ownNumbers: namespacesOf(status) > namespacesOf(read(process.pid, 'status')),
		coreDumps: !/^Max core file size\s+0\s+0\s/m.test(read(pid, 'limits')),
		oomScore: Number(read(pid, 'oom_score_adj')),
	}
}

/** How many pid namespaces a process is in, as far as we see. */
const namespacesOf = (status: string) => /^NSpid:\s+(.+)/m.exec(status)?.[1]?.split(/\s+/).length ?? 1

/** What Node opens itself is closed on exec. */
function inheritedBy(pid: number): string[] {
	const given = Math.max(CHANNEL_FD, MARK_FD)
	const open = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > given)
	// One of which nothing can be read counts as left open.
	return open.filter((fd) => {
		const flags = /^flags:\s+(\d+)/m.exec(read(pid, `fdinfo/${fd}`))?.[1] ?? '0'
		return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
	})
}

function read(pid: number, name: string): string {
	try {
		return readFileSync(`/proc/${pid}/${name}`, 'latin1')
	} catch {
		return ''
	}
}
