import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../settings/config.ts'
import type { Traces } from './types.ts'

export type { RunTrace, Traces } from './types.ts'

export interface TraceParts {
	config: Pick<
		Config,
		| 'OTEL_EXPORTER_OTLP_ENDPOINT'
		| 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
		| 'OTEL_TRACES_SAMPLER_ARG'
		| 'PLACE'
	>
	/** Of this host. */
	id: string
	log: FastifyBaseLogger
}

/** Null, with nothing of OpenTelemetry loaded, unless the operator names where traces go. */
export async function openTraces(parts: TraceParts): Promise<Traces | null> {
	if (parts.config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return null
	const { startTraces } = await import('./start.ts')
	return startTraces(parts)
}
