import { elsewhere, noHost, type Places } from '../places/index.ts'
import type { DeploymentRow } from './store.ts'

type Placed = Pick<DeploymentRow, 'id' | 'place' | 'place_alive' | 'state'>

/** Refuses what only hosts of its place do, because it reaches out from there. `below`: after the deployment's own path. */
export function requireHere(places: Places, row: Placed, below: string): void {
	if (row.place === places.own.id) return
	throw row.place_alive ? sentElsewhere(places, row, below) : noHost(row.place)
}

/** Whether hosts of its place are there to stop it. If it does not run, or none is alive, any host does: that takes the database only. */
export function isStoppedElsewhere(places: Places, { place, place_alive, state }: Placed): boolean {
	return place !== places.own.id && place_alive && (state === 'running' || state === 'stopping')
}

export function requireStopper(places: Places, row: Placed, below: string): void {
	if (isStoppedElsewhere(places, row)) throw sentElsewhere(places, row, below)
}

const sentElsewhere = (places: Places, { id, place }: Placed, below: string) =>
	elsewhere(places, place, `${places.find(place)?.url}/v1/deployments/${id}${below}`)
