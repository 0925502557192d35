// The filter of system calls, executed as the kernel would.
import { expect, test } from 'vitest'
import { seccompProgram } from '../../../../runtime/process/sandboxes/launch/seccomp.ts'

const [ALLOW, KILL, NO_SUCH_CALL] = [0x7fff0000, 0x80000000, 0x00050026]
const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** Calls by their numbers in linux/unistd.h: read, mmap, futex, execve, exit_group; then what is forbidden. */
const ALLOWED = { x64: [0, 9, 202, 59, 231], arm64: [63, 222, 98, 221, 94] }
const FORBIDDEN = {
	'socket, connect, sendmsg': { x64: [41, 42, 46], arm64: [198, 203, 211] },
	'ptrace, process_vm_readv': { x64: [101, 310], arm64: [117, 270] },
	'unshare, setns, mount, pivot_root, chroot': {
		x64: [272, 308, 165, 155, 161],
		arm64: [97, 268, 40, 41, 51],
	},
	'bpf, perf_event_open, userfaultfd': { x64: [321, 298, 323], arm64: [280, 241, 282] },
	'io_uring_setup, keyctl, add_key': { x64: [425, 250, 248], arm64: [425, 219, 217] },
	'memfd_create, clone3, execveat, init_module': { x64: [319, 435, 322, 175], arm64: [279, 435, 281, 105] },
}
const CLONE = { x64: 56, arm64: 220 }

/** Of a classic BPF program, over struct seccomp_data. */
function decide(program: Buffer, call: { number: number; arch: number; argument?: number }): number {
	const data: Record<number, number> = { 0: call.number, 4: call.arch, 16: call.argument ?? 0 }
	let loaded = 0
	for (let at = 0; ; at++) {
		const code = program.readUInt16LE(at * 8)
		const [ifTrue, ifFalse, k] = [
			program[at * 8 + 2]!,
			program[at * 8 + 3]!,
			program.readUInt32LE(at * 8 + 4),
		]
		if (code === 0x06) return k
		if (code === 0x20) loaded = data[k]!
		else if (code === 0x15) at += loaded === k ? ifTrue : ifFalse
		else if (code === 0x35) at += loaded >= k ? ifTrue : ifFalse
		else if (code === 0x45) at += (loaded & k) !== 0 ? ifTrue : ifFalse
		else throw new Error(`unknown instruction ${code}`)
	}
}

// Proves: sandbox.seccomp
test.each(['x64', 'arm64'] as const)(
	'the filter for %s allows what Node needs, and nothing else',
	(machine) => {
		const program = seccompProgram(machine)!
		const arch = ARCH[machine]
		expect(program.length / 8).toBeLessThan(4096)
		for (const number of ALLOWED[machine]) expect(decide(program, { number, arch })).toBe(ALLOW)
		for (const [names, numbers] of Object.entries(FORBIDDEN))
			for (const number of numbers[machine])
				expect(decide(program, { number, arch }), names).toBe(NO_SUCH_CALL)
		const clone = (argument: number) => decide(program, { number: CLONE[machine], arch, argument })
		expect(clone(0x3d0f00)).toBe(ALLOW)
		expect([clone(17), clone(0x4111), clone(0x7e020000)]).toEqual(Array(3).fill(NO_SUCH_CALL))
		expect(decide(program, { number: 0, arch: 0x40000003 })).toBe(KILL)
		expect(decide(program, { number: 0x40000000, arch })).toBe(NO_SUCH_CALL)
		expect(decide(program, { number: 600, arch })).toBe(NO_SUCH_CALL)
	},
)

// Proves: sandbox.seccomp
test('a machine whose calls are not listed has no filter', () => {
	expect(seccompProgram('riscv64' as NodeJS.Architecture)).toBeUndefined()
})
