import type { FastifyBaseLogger } from 'fastify'
import type postgres from 'postgres'

export interface Embedded {
	connection: postgres.Options<Record<string, postgres.PostgresType>>
	stop(): Promise<void>
}

export async function startEmbedded(
	_dataDir: string,
	_log: FastifyBaseLogger,
	_onLost: (error: Error) => void,
): Promise<Embedded> {
	throw new Error('not yet')
}
