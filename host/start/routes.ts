import { platformRoutes } from '../accounts/index.ts'
import { alertRoutes } from '../alerts/index.ts'
import { auditRoutes } from '../audit/index.ts'
import { idempotency } from '../auth/index.ts'
import { priceRoutes } from '../budgets/index.ts'
import { clientDocumentRoute, credentialRoutes } from '../credentials/index.ts'
import { deploymentRoutes } from '../deployments/index.ts'
import { erasureRoutes } from '../erasure/index.ts'
import { fileRoutes } from '../files/index.ts'
import { guardRoutes } from '../guard/index.ts'
import { healthRoutes } from '../http/health.ts'
import { openApiRoute } from '../http/openapi/index.ts'
import type { App } from '../http/route.ts'
import { keyRoutes } from '../keys/index.ts'
import { memoryRoutes } from '../memory/index.ts'
import { type Family, metricsRoute } from '../metrics/index.ts'
import { overviewRoutes } from '../overview/index.ts'
import { consoleRoutes } from '../pages/index.ts'
import { placeRoutes } from '../places/index.ts'
import {
	accountRunRoutes,
	adminRunRoutes,
	agentMcpRoutes,
	approvalRoutes,
	eraseRunRoutes,
	failureRoutes,
	replayRoutes,
	runRoutes,
} from '../runs/index.ts'
import { scheduleRoutes } from '../schedules/index.ts'
import { toolRoutes } from '../tools/index.ts'
import { webhookRoutes } from '../webhooks/index.ts'
import type { Features } from './features.ts'

/** The whole service in the order it is registered. What adds hooks for all routes comes before them. */
export async function addRoutes(
	app: App,
	features: Features & { read: () => Promise<Family[]> },
): Promise<void> {
	const { config } = features
	const openApi = openApiRoute(app, config.BASE_URL)
	healthRoutes(app, features)
	clientDocumentRoute(app, config.BASE_URL)
	metricsRoute(app, { token: config.METRICS_TOKEN, read: features.read })
	idempotency(app, features)
	auditRoutes(app, features)
	platformRoutes(app, features)
	consoleRoutes(app, features)
	alertRoutes(app, features)
	placeRoutes(app, features)
	priceRoutes(app, features)
	deploymentRoutes(app, features)
	keyRoutes(app, features)
	toolRoutes(app, features)
	runRoutes(app, features, openApi)
	fileRoutes(app, features)
	eraseRunRoutes(app, features)
	agentMcpRoutes(app, features)
	credentialRoutes(app, { ...features, lockSoon: features.starting.lockSoon })
	approvalRoutes(app, features)
	memoryRoutes(app, features)
	accountRunRoutes(app, features)
	failureRoutes(app, features)
	adminRunRoutes(app, features)
	replayRoutes(app, features)
	webhookRoutes(app, features)
	scheduleRoutes(app, features)
	overviewRoutes(app, features)
	erasureRoutes(app, features)
	features.auth.acceptOAuth(await guardRoutes(app, features))
}
