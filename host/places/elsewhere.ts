import { Problem } from '../http/errors.ts'
import type { Places } from './directory.ts'

/**
 * 421 (RFC 9110 section 15.5.20): nothing was done, and the same request is for `url`. `path` begins with a slash.
 */
export function elsewhere(places: Pick<Places, 'own' | 'find'>, place: string, url: string): Problem {
	if (!places.find(place)) {
		const detail = `This runs at the place ${place}, which has no address: no host of it has started yet. Start a host with PLACE=${place}.`
		return new Problem('wrong_place', detail, { members: { place } })
	}
	const detail = `This runs at the place ${place}, and this host is of the place ${places.own.id}. Send the request to ${url}`
	return new Problem('wrong_place', detail, { members: { place, url } })
}
