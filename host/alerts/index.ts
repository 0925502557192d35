// Alerts: what the owner of an agent, or the operator, is told of once. By webhook, by e-mail, and in a list.

export { raise } from './raise.ts'
export { alertRoutes } from './routes.ts'
export { type Alerts, openAlerts } from './watch.ts'
