import { PlaceList } from '../api/places.ts'
import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import type { Places } from './directory.ts'
import { listPlaces } from './list.ts'

interface PlaceParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner'>
	places: Places
}

export function placeRoutes(app: App, { sql, auth, places }: PlaceParts): void {
	app.get(
		'/v1/places',
		{ schema: { response: { 200: PlaceList } }, config: owner('listPlaces', 'Where an agent can run') },
		async (request) => {
			const { accountId } = await auth.requireOwner(request)
			return { data: await listPlaces(sql, places, accountId) }
		},
	)
}
