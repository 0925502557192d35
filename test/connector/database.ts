import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../host/db/index.ts'
import { addPlans, log } from './guard.ts'

/** A database of its own on this run's server. */
export async function openTestDatabase(): Promise<Database> {
	const name = `guard_${randomBytes(6).toString('hex')}`
	const maintenance = await open('postgres')
	await maintenance.sql`create database ${maintenance.sql(name)} template template`
	await maintenance.close()
	const database = await open(name)
	await addPlans(database)
	return database
}

function open(name: string): Promise<Database> {
	const url = `postgres://app@/${name}?host=${inject('postgres')}`
	return openDatabase({ DATABASE_URL: url, DATA_DIR: '' }, log, () => {})
}
