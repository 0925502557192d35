import { setTimeout as sleep } from 'node:timers/promises'
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import {
	AggregationTemporality,
	DataPointType,
	MeterProvider,
	type MetricData,
	PeriodicExportingMetricReader,
	type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { otelResource } from '../lib/otel-resource.ts'
import { version } from '../lib/root.ts'
import type { ExportParts } from './export.ts'
import type { Family } from './series.ts'

// Loads OpenTelemetry. It is imported when the operator names a collector.

const flushMs = 3_000

/** The same families as at `/metrics`, handed to the SDK's reader as they are counted already. */
export function startExport({ config, id, log, read }: ExportParts): () => Promise<void> {
	const startTime = hrTime(sharedNow())
	const resource = otelResource({ id, place: config.PLACE })
	const reader = new PeriodicExportingMetricReader({
		exporter: telling(new OTLPMetricExporter(), log),
		exportIntervalMillis: config.OTEL_METRIC_EXPORT_INTERVAL,
		metricProducers: [
			{
				async collect() {
					const endTime = hrTime(sharedNow())
					const metrics = (await read()).map((family) => metricOf(family, { startTime, endTime }))
					const scopeMetrics = [{ scope: { name: 'berth', version }, metrics }]
					return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
				},
			},
		],
	})
	const provider = new MeterProvider({ resource, readers: [reader] })
	// A collector that is away does not hold up the stop.
	return () => Promise.race([provider.shutdown(), sleep(flushMs, undefined, { ref: false })]).catch(() => {})
}

/** The same exporter, that tells once when the collector is away, and when it is back. */
function telling(inner: OTLPMetricExporter, log: ExportParts['log']): PushMetricExporter {
	let failing = false
	return {
		export: (metrics, done) =>
			inner.export(metrics, (result) => {
				const failed = result.code !== 0
				// Its words may hold an address or an answer.
				if (failed && !failing) log.warn({ error: result.error?.name }, 'metrics could not be sent')
				if (!failed && failing) log.info('metrics are sent again')
				failing = failed
				done(result)
			}),
		forceFlush: () => inner.forceFlush(),
		shutdown: () => inner.shutdown(),
		selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
	}
}

const units: Record<string, string> = { seconds: 's', bytes: 'By' }

/** `berth_run_queue_seconds` is `berth.run.queue` in `s`: collectors put unit and `_total` back for Prometheus. */
function metricOf(family: Family, times: { startTime: HrTime; endTime: HrTime }): MetricData {
	const [, base = '', unit = ''] = /^(.+?)(?:_(seconds|bytes))?(?:_total)?$/.exec(family.name) ?? []
	const common = {
		descriptor: {
			name: base.replaceAll('_', '.'),
			description: family.help,
			unit: units[unit] ?? '1',
			valueType: ValueType.DOUBLE,
		},
		aggregationTemporality: AggregationTemporality.CUMULATIVE,
	}
	if (family.type === 'histogram') {
		const dataPoints = family.samples.map(({ labels, counts, sum }) => ({
			...times,
			attributes: labels as Attributes,
			value: {
				buckets: { boundaries: [...family.bounds], counts: [...counts] },
				sum,
				count: counts.reduce((all, one) => all + one, 0),
			},
		}))
		return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
	}
	const dataPoints = family.samples.map(({ labels, value }) => ({
		...times,
		attributes: labels as Attributes,
		value,
	}))
	return family.type === 'gauge'
		? { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
		: { ...common, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true }
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]
