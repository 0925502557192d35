// Places: where deployments run, and at which address they are reached there.

export { agentUrls, deploymentUrl, type Place, sourcesOf } from './address.ts'
export { openPlaces, type Places } from './directory.ts'
export { elsewhere } from './elsewhere.ts'
export { isPlaceAlive, noHost, requirePlace } from './list.ts'
export { placeRoutes } from './routes.ts'
