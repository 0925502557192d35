// Preloaded into a host (`--import file:…/heap.mjs`, with `--expose-gc`): at each SIGUSR2 it writes a line `{"used", "kept"}`,
// bytes of V8's heap before and after a collection. A request with `x-more: N` makes N objects more, to be seen there.
import { subscribe } from 'node:diagnostics_channel'

subscribe('http.server.request.start', ({ request }) => {
	const more = Number(request.headers['x-more'] ?? 0)
	if (more > 0) JSON.parse(JSON.stringify(Array(more).fill({})))
})
process.on('SIGUSR2', () => {
	const { heapUsed: used } = process.memoryUsage()
	gc()
	console.log(JSON.stringify({ used, kept: process.memoryUsage().heapUsed }))
})
