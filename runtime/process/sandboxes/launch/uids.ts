/** Users for sandbox processes: each its own, so that one cannot touch another even where both see each other. */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { NOBODY } from './types.ts'

/** Of a range that systemd's table of uids (uids-gids) leaves free, below 2³¹. */
export const FIRST_UID = 1_879_048_192
const COUNT = 2 ** 27

let last = randomInt(COUNT)

/** Of this process's own; nobody where its user namespace does not have the range. */
export function nextUid(): string {
	last = (last + 1) % COUNT
	return isMapped() ? String(FIRST_UID + last) : NOBODY
}

/** In words for the operator. */
export function userLayer(): string {
	return isMapped() ? 'a user for each process' : `user ${NOBODY}`
}

let mapped: boolean | undefined

function isMapped(): boolean {
	mapped ??= ['uid_map', 'gid_map'].every((map) =>
		lines(`/proc/self/${map}`).some(([inside = 0, , length = 0]) => {
			return inside <= FIRST_UID && inside + length >= FIRST_UID + COUNT
		}),
	)
	return mapped
}

function lines(file: string): number[][] {
	try {
		return readFileSync(file, 'utf8')
			.split('\n')
			.map((line) => line.trim().split(/\s+/).map(Number))
	} catch {
		return []
	}
}
