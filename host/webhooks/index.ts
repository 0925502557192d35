// Webhooks: endpoints, and the outbox that is sent to them (Standard Webhooks).

export { webhookRoutes } from './routes.ts'
export { openWebhooks, type Webhooks } from './sender.ts'
