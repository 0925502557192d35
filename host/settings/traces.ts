import { httpUrl, oneOf, type Setting, setting, whole } from './readers.ts'

/** Named as OpenTelemetry does. Its exporter reads further `OTEL_*` variables itself. */
export const traceSettings = {
	OTEL_EXPORTER_OTLP_ENDPOINT: setting(
		'',
		'OpenTelemetry collector (OTLP over HTTP) that traces and metrics go to, as in http://127.0.0.1:4318; unset: none',
		(value) => value && httpUrl(value),
	),
	OTEL_TRACES_SAMPLER_ARG: setting(
		'1',
		'Share of traces that is kept, from 0 to 1, of those that no caller has begun',
		(value) => {
			const share = Number(value)
			if (!/^\d*\.?\d+$/.test(value) || share > 1) throw new Error('must be a number from 0 to 1')
			return share
		},
	),
	OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: setting(
		'false',
		'true: traces hold inputs, outputs, answers of models, and arguments and results of tools',
		(value) => {
			if (value !== 'true' && value !== 'false') throw new Error('must be true or false')
			return value === 'true'
		},
	),
	OTEL_METRICS_EXPORTER: oneOf(['otlp', 'none'], 'otlp or none: whether metrics go to the collector, too'),
	OTEL_METRIC_EXPORT_INTERVAL: whole(60_000, 100, 86_400_000, 'Milliseconds between two exports of metrics'),
} satisfies Record<string, Setting<unknown>>
