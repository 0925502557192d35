import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../settings/config.ts'
import type { Family } from './series.ts'

export interface ExportParts {
	config: Pick<
		Config,
		'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_METRICS_EXPORTER' | 'OTEL_METRIC_EXPORT_INTERVAL' | 'PLACE'
	>
	/** Of this host. */
	id: string
	log: Pick<FastifyBaseLogger, 'info' | 'warn'>
	read: () => Promise<Family[]>
}

/** Answers how to stop it. Null, with nothing of OpenTelemetry loaded, unless the operator names where metrics go. */
export async function exportMetrics(parts: ExportParts): Promise<(() => Promise<void>) | null> {
	const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER } = parts.config
	if (OTEL_EXPORTER_OTLP_ENDPOINT === '' || OTEL_METRICS_EXPORTER === 'none') return null
	const { startExport } = await import('./otlp.ts')
	return startExport(parts)
}
