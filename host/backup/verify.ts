import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BackupError } from './error.ts'
import { type Manifest, manifestFile, manifestOf, masterKeyFile, sumsFile, tableFile } from './manifest.ts'

export interface Verified {
	manifest: Manifest
	/** The encrypted master key; null: it was left out. */
	masterKey: unknown
}

/** Far more than a manifest of thousands of tables takes. */
const mostBytes = 16 * 2 ** 20
const line = /^([0-9a-f]{64}) {2}(manifest\.json|master-key\.json|tables\/[a-z0-9_]+\.copy\.gz)$/

/** Reads every file once and compares its digest. Throws before anything is written where one is missing or differs. */
export async function verify(folder: string): Promise<Verified> {
	const sums = await readSums(folder)
	for (const [name, wanted] of sums) {
		if ((await digestOf(folder, name)) !== wanted) throw damaged(`${name} is not as it was written`)
	}
	if (!sums.has(manifestFile)) throw damaged(`${sumsFile} does not list ${manifestFile}`)
	const read = manifestOf.safeParse(await readJson(folder, manifestFile))
	if (!read.success)
		throw new BackupError(
			`${join(folder, manifestFile)} is not one that this Berth can read. Use the Berth that made the backup, or a newer one.`,
		)
	const missing = read.data.tables.find(({ name }) => !sums.has(tableFile(name)))
	if (missing) throw damaged(`${sumsFile} does not list ${tableFile(missing.name)}`)
	const masterKey = sums.has(masterKeyFile) ? await readJson(folder, masterKeyFile) : null
	return { manifest: read.data, masterKey }
}

async function readSums(folder: string): Promise<Map<string, string>> {
	const text = await readText(folder, sumsFile)
	if (!text.endsWith('\n')) throw damaged(`${sumsFile} is cut off`)
	return new Map(
		text
			.slice(0, -1)
			.split('\n')
			.map((one) => {
				const [, digest, name] = line.exec(one) ?? []
				if (!digest || !name) throw damaged(`${sumsFile} has a line that is none`)
				return [name, digest]
			}),
	)
}

async function digestOf(folder: string, name: string): Promise<string> {
	const hash = createHash('sha256')
	try {
		await pipeline(createReadStream(join(folder, name)), hash)
	} catch (error) {
		throw unreadable(name, error)
	}
	return hash.digest('hex')
}

async function readText(folder: string, name: string): Promise<string> {
	try {
		const file = join(folder, name)
		if ((await stat(file)).size > mostBytes) throw damaged(`${name} is too large`)
		return await readFile(file, 'utf8')
	} catch (error) {
		if (error instanceof BackupError) throw error
		if (name === sumsFile && (error as NodeJS.ErrnoException).code === 'ENOENT')
			throw new BackupError(`${folder} is no backup: it has no ${sumsFile}.`)
		throw unreadable(name, error)
	}
}

async function readJson(folder: string, name: string): Promise<unknown> {
	try {
		return JSON.parse(await readText(folder, name))
	} catch (error) {
		if (error instanceof BackupError) throw error
		throw damaged(`${name} is no JSON`)
	}
}

const unreadable = (name: string, error: unknown) =>
	damaged(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`)

const damaged = (what: string) =>
	new BackupError(`The backup is damaged: ${what}. Nothing was written. Use another copy of it.`)
