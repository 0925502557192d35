import { statfs } from 'node:fs/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../http/errors.ts'

const lookMs = 5_000
/** Of DISK_MIN_FREE_MB: below it the operator is alerted. */
const lowFactor = 2
const retryAfterSeconds = '30'

/** Whether there is room for what would be written. Known beforehand, so that asking costs a request nothing. */
export interface Disk {
	/** Why nothing new is taken just now; null: there is room. */
	refusal(): Problem | null
	/** At the last look; undefined: nothing is watched, or it could not be read. */
	freeMb(): number | undefined
	stop(): void
}

export interface DiskOptions {
	dir: string
	/** 0: nothing is watched. */
	minFreeMb: number
	log: FastifyBaseLogger
	/** Little is left, before it is too little: called once until there is more again. */
	onLow?: (freeMb: number) => void
	/** Of the file system of `dir`, for this user. */
	freeMb?: () => Promise<number>
	everyMs?: number
}

/** Looks at once, then at an interval. */
export async function watchDisk(options: DiskOptions): Promise<Disk> {
	const { dir, minFreeMb, log, onLow, freeMb = () => freeIn(dir), everyMs = lookMs } = options
	if (minFreeMb === 0) return { refusal: () => null, freeMb: () => undefined, stop: () => {} }
	let detail = ''
	let low = false
	let last: number | undefined
	const look = async () => {
		try {
			const free = await freeMb()
			last = free
			const before = detail
			const wasLow = low
			low = free < minFreeMb * lowFactor
			if (low && !wasLow) onLow?.(free)
			detail =
				free >= minFreeMb
					? ''
					: `The disk of DATA_DIR has ${free} MB free, under DISK_MIN_FREE_MB=${minFreeMb}: nothing new is stored until there is room`
			if (detail !== '' && before === '') log.warn({ dir, free_mb: free }, detail)
			if (detail === '' && before !== '') log.info({ dir, free_mb: free }, 'the disk has room again')
		} catch (error) {
			last = undefined
			log.warn({ err: error, dir }, 'the free space of DATA_DIR could not be read')
		}
	}
	await look()
	const timer = setInterval(look, everyMs)
	timer.unref()
	return {
		refusal: () =>
			detail === ''
				? null
				: new Problem('overloaded', `${detail}.`, { headers: { 'retry-after': retryAfterSeconds } }),
		freeMb: () => last,
		stop: () => clearInterval(timer),
	}
}

async function freeIn(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir)
	return Math.floor((bavail * bsize) / 2 ** 20)
}
