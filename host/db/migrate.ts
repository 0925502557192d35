import type postgres from 'postgres'

export async function migrate(
	_connection: postgres.Options<Record<string, postgres.PostgresType>>,
): Promise<void> {}
