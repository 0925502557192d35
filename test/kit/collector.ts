import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import protobuf from 'protobufjs'

// An OpenTelemetry collector: takes OTLP over HTTP as protobuf. Field numbers are those of opentelemetry-proto 1.x.

const { root } = protobuf.parse(`syntax = "proto3";
	message Request { repeated ResourceSpans resource_spans = 1; }
	message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
	message Resource { repeated KeyValue attributes = 1; }
	message ScopeSpans { repeated Span spans = 2; }
	message Span {
		bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
		fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
		Status status = 15;
	}
	message MetricsRequest { repeated ResourceMetrics resource_metrics = 1; }
	message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
	message ScopeMetrics { repeated Metric metrics = 2; }
	message Metric {
		string name = 1; string description = 2; string unit = 3;
		Points gauge = 5; Points sum = 7; Histogram histogram = 9;
	}
	message Points { repeated Point data_points = 1; }
	message Point { repeated KeyValue attributes = 7; double as_double = 4; sfixed64 as_int = 6; }
	message Histogram { repeated HistogramPoint data_points = 1; }
	message HistogramPoint {
		fixed64 count = 4; double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
		repeated KeyValue attributes = 9;
	}
	message Status { string message = 2; int32 code = 3; }
	message KeyValue { string key = 1; AnyValue value = 2; }
	message AnyValue { oneof value {
		string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; Array array_value = 5;
	} }
	message Array { repeated AnyValue values = 1; }`)
const requestType = root.lookupType('Request')
const metricsType = root.lookupType('MetricsRequest')

interface Value {
	stringValue?: string
	intValue?: string
	doubleValue?: number
	arrayValue?: { values: Value[] }
}
interface Pair {
	key: string
	value: Value
}
interface Decoded {
	resourceSpans: {
		resource: { attributes: Pair[] }
		scopeSpans: {
			spans: {
				traceId: string
				spanId: string
				parentSpanId?: string
				name: string
				kind: number
				startTimeUnixNano: string
				endTimeUnixNano: string
				attributes?: Pair[]
				status?: { code?: number; message?: string }
			}[]
		}[]
	}[]
}

export interface CollectedSpan {
	traceId: string
	spanId: string
	/** Empty: it has none. */
	parentId: string
	name: string
	/** 1 internal, 2 server, 3 client. */
	kind: number
	startMs: number
	endMs: number
	attributes: Record<string, unknown>
	/** 2: an error. */
	status: number
	/** `service.name` and the like. */
	resource: Record<string, unknown>
}

export interface CollectedMetric {
	name: string
	unit: string
	attributes: Record<string, unknown>
	/** Of a histogram: how many values. */
	value: number
	bounds: number
	resource: Record<string, unknown>
}

export interface Collector {
	/** For OTEL_EXPORTER_OTLP_ENDPOINT. */
	url: string
	spans: CollectedSpan[]
	/** Of the newest export that came, of any host. */
	metrics: CollectedMetric[]
	/** Bodies as they came. */
	bodies: Buffer[]
	/** Of what came: path, content type. */
	requests: string[]
	close(): Promise<void>
}

const hex = (base64 = '') => Buffer.from(base64, 'base64').toString('hex')
const plain = ({ stringValue, intValue, doubleValue, arrayValue }: Value): unknown =>
	stringValue ?? doubleValue ?? (intValue === undefined ? arrayValue?.values.map(plain) : Number(intValue))
const record = (pairs: Pair[] = []) => Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))

function spansOf(body: Buffer): CollectedSpan[] {
	const options = { longs: String, bytes: String }
	const { resourceSpans } = requestType.toObject(requestType.decode(body), options) as Decoded
	return resourceSpans.flatMap(({ resource, scopeSpans }) =>
		scopeSpans.flatMap(({ spans }) =>
			spans.map((span) => ({
				traceId: hex(span.traceId),
				spanId: hex(span.spanId),
				parentId: hex(span.parentSpanId),
				name: span.name,
				kind: span.kind,
				startMs: Number(span.startTimeUnixNano) / 1e6,
				endMs: Number(span.endTimeUnixNano) / 1e6,
				attributes: record(span.attributes),
				status: span.status?.code ?? 0,
				resource: record(resource.attributes),
			})),
		),
	)
}

interface DecodedMetrics {
	resourceMetrics: {
		resource: { attributes: Pair[] }
		scopeMetrics: {
			metrics: {
				name: string
				unit: string
				gauge?: { dataPoints?: Point[] }
				sum?: { dataPoints?: Point[] }
				histogram?: { dataPoints?: Point[] }
			}[]
		}[]
	}[]
}
interface Point {
	attributes?: Pair[]
	asDouble?: number
	asInt?: string
	count?: string
	explicitBounds?: number[]
}

function metricsOf(body: Buffer): CollectedMetric[] {
	const { resourceMetrics } = metricsType.toObject(metricsType.decode(body), {
		longs: String,
	}) as DecodedMetrics
	return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
		scopeMetrics.flatMap(({ metrics }) =>
			metrics.flatMap(({ name, unit, gauge, sum, histogram }) =>
				((gauge ?? sum ?? histogram)?.dataPoints ?? []).map((point) => ({
					name,
					unit,
					attributes: record(point.attributes),
					value: Number(point.count ?? point.asDouble ?? point.asInt ?? 0),
					bounds: point.explicitBounds?.length ?? 0,
					resource: record(resource.attributes),
				})),
			),
		),
	)
}

export async function startCollector(): Promise<Collector> {
	const spans: CollectedSpan[] = []
	const bodies: Buffer[] = []
	const requests: string[] = []
	const collector = { metrics: [] as CollectedMetric[] }
	const server = createServer(async (request, response) => {
		const body = await buffer(request)
		requests.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
		bodies.push(body)
		if (request.url === '/v1/metrics') collector.metrics = metricsOf(body)
		else spans.push(...spansOf(body))
		response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	return Object.assign(collector, {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		spans,
		bodies,
		requests,
		close: () =>
			new Promise<void>((resolve) => {
				server.closeAllConnections()
				server.close(() => resolve())
			}),
	})
}
