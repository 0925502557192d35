import {
	detectResources,
	resourceAttributesEnvDetector,
	resourceFromAttributes,
	serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { version } from './root.ts'

/** Who sends: this host, and what the operator's OTEL_* variables say of it. Loaded with OpenTelemetry only. */
export const otelResource = ({ id, place }: { id: string; place: string }) =>
	resourceFromAttributes({
		'service.name': 'berth',
		'service.version': version,
		'service.instance.id': id,
		'berth.place': place,
	}).merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
