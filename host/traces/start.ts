import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
	BatchSpanProcessor,
	RandomIdGenerator,
	SamplingDecision,
	TraceIdRatioBasedSampler,
	TracerProvider,
} from '@opentelemetry/sdk-trace'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { readTraceparent } from '../../runtime/wire/trace.ts'
import { otelResource } from '../lib/otel-resource.ts'
import { version } from '../lib/root.ts'
import { boundedExporter } from './bounded.ts'
import type { TraceParts } from './index.ts'
import { traceRun } from './run.ts'
import type { Span, Traces } from './types.ts'

// Loads OpenTelemetry. It is imported when the operator names a collector.

const delayMs = 1000
const flushMs = 3000

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

export function startTraces({ config, id, log }: TraceParts): Traces {
	const exporter = boundedExporter(new OTLPTraceExporter(), log)
	// A run's spans have ids of their own (runtime/wire/trace.ts): they are set here before each begins.
	const ids = { traceId: '', spanId: '' }
	const provider = new TracerProvider({
		resource: otelResource({ id, place: config.PLACE }),
		idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
		spanProcessors: [
			new BatchSpanProcessor({
				exporter: exporter.exporter,
				maxQueueSize: exporter.max,
				scheduledDelayMillis: delayMs,
			}),
		],
	})
	const tracer = provider.getTracer('berth', version)
	const ratio = new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG)
	const sampled = (traceId: string) =>
		ratio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED

	function send({ traceId, spanId, parentId, error, ...span }: Span): void {
		if (!exporter.admit()) return
		Object.assign(ids, { traceId, spanId })
		const parent = { traceId, spanId: parentId ?? '', traceFlags: TraceFlags.SAMPLED, isRemote: true }
		const made = tracer.startSpan(
			span.name,
			{
				kind: kinds[span.kind],
				// As dates: numbers from before the start of this process would count from its start.
				startTime: new Date(span.start),
				attributes: { ...span.attributes, ...(error !== null && { 'error.type': error }) },
			},
			parentId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
		)
		if (error !== null) made.setStatus({ code: SpanStatusCode.ERROR })
		made.end(new Date(Math.max(span.start, span.end)))
	}

	const random = new RandomIdGenerator()
	return {
		ofRun: (run) =>
			traceRun(run, {
				send,
				sampled,
				content: config.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
			}),
		guardCall(tool, traceparent) {
			const parent = readTraceparent(traceparent)
			const traceId = parent?.traceId ?? random.generateTraceId()
			if (!(parent?.sampled ?? sampled(traceId))) return () => {}
			const start = sharedNow()
			return (error) =>
				send({
					name: `tools/call ${tool}`,
					kind: 'server',
					...{ traceId, spanId: random.generateSpanId(), parentId: parent?.spanId },
					...{ start, end: sharedNow(), error },
					attributes: {
						'mcp.method.name': 'tools/call',
						'gen_ai.operation.name': 'execute_tool',
						'gen_ai.tool.name': tool,
					},
				})
		},
		counts: exporter.counts,
		async stop() {
			// A collector that is away does not hold up the stop.
			await Promise.race([provider.shutdown(), sleep(flushMs, undefined, { ref: false })]).catch(() => {})
		},
	}
}
