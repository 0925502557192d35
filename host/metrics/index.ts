// Metrics: what this process counts, for Prometheus and for OpenTelemetry.

export { createMetrics, type Metrics } from './counts.ts'
export { exportMetrics } from './export.ts'
export { outside } from './look.ts'
export { metricsRoute } from './routes.ts'
export type { Family } from './series.ts'
export { stateOf } from './state.ts'
