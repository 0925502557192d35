/**
 * The system calls of a sandbox, as a program of the kernel's classic BPF (seccomp(2)). What is not listed does not exist
 * there (ENOSYS), so that libraries do without: no sockets, no io_uring, ptrace, bpf, mount, namespaces, keys, and no further
 * process. execve stays, as Node is begun after the program is loaded.
 */
import { endianness } from 'node:os'

/** name:x86-64:arm64, from the kernel's unistd.h; `-` where a machine has no such call. */
const ALLOWED = [
	// Open files, and files to read.
	`read:0:63 write:1:64 readv:19:65 writev:20:66 pread64:17:67 pwrite64:18:68 preadv:295:69 pwritev:296:70
	lseek:8:62 open:2:- openat:257:56 close:3:57 close_range:436:436 dup:32:23 dup2:33:- dup3:292:24 fcntl:72:25
	ioctl:16:29 stat:4:- lstat:6:- fstat:5:80 newfstatat:262:79 statx:332:291 statfs:137:43 fstatfs:138:44 access:21:-
	faccessat:269:48 faccessat2:439:439 readlink:89:- readlinkat:267:78 getcwd:79:17 getdents64:217:61
	fadvise64:221:223 fsync:74:82 fdatasync:75:83`,
	// Waiting.
	`pipe:22:- pipe2:293:59 poll:7:- ppoll:271:73 select:23:- pselect6:270:72 epoll_create:213:- epoll_create1:291:20
	epoll_ctl:233:21 epoll_wait:232:- epoll_pwait:281:22 epoll_pwait2:441:441 eventfd:284:- eventfd2:290:19
	getsockopt:55:209 getsockname:51:204`,
	// Memory.
	`mmap:9:222 munmap:11:215 mprotect:10:226 mremap:25:216 madvise:28:233 mincore:27:232 brk:12:214
	membarrier:324:283 pkey_alloc:330:289 pkey_free:331:290 pkey_mprotect:329:288`,
	// Threads and signals.
	`futex:202:98 set_robust_list:273:99 get_robust_list:274:100 rseq:334:293 set_tid_address:218:96 gettid:186:178
	getpid:39:172 getppid:110:173 sched_yield:24:124 sched_getaffinity:204:123 sched_getparam:143:121
	sched_getscheduler:145:120 sched_get_priority_max:146:125 sched_get_priority_min:147:126 getpriority:140:141
	kill:62:129 tkill:200:130 tgkill:234:131 rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139
	rt_sigsuspend:130:133 rt_sigpending:127:136 rt_sigtimedwait:128:137 sigaltstack:131:132 restart_syscall:219:128
	wait4:61:260 waitid:247:95 exit:60:93 exit_group:231:94`,
	// Time, and what the machine is.
	`clock_gettime:228:113 clock_getres:229:114 clock_nanosleep:230:115 nanosleep:35:101 gettimeofday:96:169
	time:201:- times:100:153 getrusage:98:165 sysinfo:99:179 uname:63:160 getrandom:318:278 getcpu:309:168
	umask:95:166 getrlimit:97:163 prlimit64:302:261 prctl:157:167 arch_prctl:158:-`,
	// What setpriv gives up, and the start of Node.
	`getuid:102:174 geteuid:107:175 getgid:104:176 getegid:108:177 getresuid:118:148 getresgid:120:150
	getgroups:115:158 setuid:105:146 setgid:106:144 setreuid:113:145 setregid:114:143 setresuid:117:147
	setresgid:119:149 setgroups:116:159 capget:125:90 capset:126:91 execve:59:221`,
].join(' ')

interface Machine {
	/** AUDIT_ARCH_…, of linux/audit.h. */
	arch: number
	column: 1 | 2
	clone: number
}
const MACHINES: { [arch: string]: Machine } = {
	x64: { arch: 0xc000003e, column: 1, clone: 56 },
	arm64: { arch: 0xc00000b7, column: 2, clone: 220 },
}

const [LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06]
/** Of struct seccomp_data. */
const [NUMBER, ARCH, FIRST_ARGUMENT] = [0, 4, 16]
const [ALLOW, KILL_PROCESS, NO_SUCH_CALL] = [0x7fff0000, 0x80000000, 0x00050000 | 38]
/** x86-64's second table of calls, with this bit in each number. */
const X32 = 0x40000000
const CLONE_THREAD = 0x00010000

/** Undefined on a machine whose calls are not listed. */
export function seccompProgram(machine = process.arch): Buffer | undefined {
	const known = MACHINES[machine]
	if (!known || endianness() !== 'LE') return undefined
	const allowed = ALLOWED.split(/\s+/).flatMap((call) => {
		const number = call.split(':')[known.column]
		return number === '-' ? [] : [Number(number)]
	})
	const instructions: Instruction[] = [
		[LOAD, 0, 0, ARCH],
		[JUMP_EQUAL, 1, 0, known.arch],
		[RETURN, 0, 0, KILL_PROCESS],
		[LOAD, 0, 0, NUMBER],
		[JUMP_AT_LEAST, 0, 1, X32],
		[RETURN, 0, 0, NO_SUCH_CALL],
		// Threads, and no processes: the C library falls back on clone where clone3 does not exist.
		[JUMP_EQUAL, 0, 4, known.clone],
		[LOAD, 0, 0, FIRST_ARGUMENT],
		[JUMP_BITS, 0, 1, CLONE_THREAD],
		[RETURN, 0, 0, ALLOW],
		[RETURN, 0, 0, NO_SUCH_CALL],
		...allowed.flatMap((number): Instruction[] => [
			[JUMP_EQUAL, 0, 1, number],
			[RETURN, 0, 0, ALLOW],
		]),
		[RETURN, 0, 0, NO_SUCH_CALL],
	]
	return Buffer.concat(instructions.map(assemble))
}

/** struct sock_filter: code, jump where true, jump where false, operand. */
type Instruction = [code: number, jt: number, jf: number, k: number]

function assemble([code, jt, jf, k]: Instruction): Buffer {
	const bytes = Buffer.alloc(8)
	bytes.writeUInt16LE(code, 0)
	bytes.writeUInt8(jt, 2)
	bytes.writeUInt8(jf, 3)
	bytes.writeUInt32LE(k, 4)
	return bytes
}
