import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'

/** Spans that wait or are being sent. A span takes about 2 KB. */
const queueMax = 8192

/** Bounds what waits for the collector: spans beyond it are dropped, and counted like those that it did not take. */
export function boundedExporter(inner: SpanExporter, log: FastifyBaseLogger) {
	let [waiting, exported, dropped] = [0, 0, 0]
	let failing = false
	const exporter: SpanExporter = {
		export(spans: ReadableSpan[], done) {
			inner.export(spans, (result) => {
				const failed = result.error !== undefined || result.code !== 0
				waiting -= spans.length
				if (failed) dropped += spans.length
				else exported += spans.length
				// Its words may hold an address or an answer.
				if (failed && !failing)
					log.warn({ error: result.error?.name }, 'traces could not be sent; they are dropped')
				if (!failed && failing) log.info('traces are sent again')
				failing = failed
				done(result)
			})
		},
		forceFlush: async () => inner.forceFlush?.(),
		shutdown: () => inner.shutdown(),
	}
	return {
		exporter,
		max: queueMax,
		/** Asked before each span. False: there is no room for it. */
		admit(): boolean {
			const room = waiting < queueMax
			if (room) waiting++
			else dropped++
			return room
		},
		counts: () => ({ exported, dropped }),
	}
}
