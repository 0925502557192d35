// Preloaded into a sandbox (`--import`, with `--expose-gc`): a message that names `COUNT` makes it write a line `{"used", "kept",
// "guests", "isolates"}` to standard error: bytes of V8's heap before and after a collection, bytes of all guests' heaps,
// and how many guests have been made.
import fs, { writeSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'

const require = createRequire(import.meta.url)
const ivm = require('isolated-vm')
const isolates = []
const Isolate = new Proxy(ivm.Isolate, {
	construct(target, args) {
		const isolate = new target(...args)
		isolates.push(isolate)
		return isolate
	},
})
// Its own members cannot be replaced.
require.cache[require.resolve('isolated-vm')].exports = Object.create(ivm, { Isolate: { value: Isolate } })
const { readSync } = fs
fs.readSync = (fd, buffer, ...rest) => {
	const bytes = readSync(fd, buffer, ...rest)
	if (buffer.subarray(0, bytes).includes('COUNT')) count()
	return bytes
}
syncBuiltinESMExports()

function count() {
	const { heapUsed: used } = process.memoryUsage()
	const guests = isolates
		.filter(({ isDisposed }) => !isDisposed)
		.reduce((sum, isolate) => sum + isolate.getHeapStatisticsSync().used_heap_size, 0)
	gc()
	const { heapUsed: kept } = process.memoryUsage()
	writeSync(2, `${JSON.stringify({ used, kept, guests, isolates: isolates.length })}\n`)
}
