/** Milliseconds of processor that `act` takes in this thread: a busy machine takes none of them. */
export function cpuMs(act: () => void): number {
	const start = process.threadCpuUsage()
	act()
	const { user, system } = process.threadCpuUsage(start)
	return (user + system) / 1_000
}
