import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { agreed, asking } from '../erasing.ts'
import { CommandError, UsageError } from '../failure.ts'
import { about } from '../files.ts'
import type { Io } from '../io.ts'
import { tellList, whole } from '../list.ts'
import { findDeployment, session } from '../session.ts'

interface Context {
	io: Io
	memory: Client['memory']
	/** Of the deployment. */
	name: string
	url: string
	path: string | undefined
	file: string | undefined
	/** Of `--version-is`. */
	version: number | undefined
	yes: boolean | undefined
}

const actions = {
	list,
	get,
	put,
	delete: remove,
	versions,
	clear,
}

export function memoryCommand(program: Command): void {
	const memory = command(
		program,
		'memory <name> [action] [path] [file]',
		'what an agent keeps between runs',
		actions,
	)
	asking(memory, 'with clear: ')
		.option(
			'--version-is <n>',
			'with put and delete: only if this is still the version; with get: that version',
			whole(0, 1_000_000_000),
		)
		.addHelpText(
			'after',
			'\n  list · get PATH · put PATH FILE (- for standard input) · delete PATH · versions PATH · clear',
		)
		.action(
			does<{ versionIs?: number; yes?: boolean }>(
				async (io, { versionIs, yes }, name, action = 'list', path, file) => {
					const client = session(io)
					const { name: found, url } = await findDeployment(client, name)
					await actions[action as keyof typeof actions]({
						io,
						memory: client.memory,
						name: found,
						url,
						path,
						file,
						version: versionIs,
						yes,
					})
				},
			),
		)
}

async function list({ io, memory, url }: Context): Promise<void> {
	tellList(io, await memory.list(url), {
		none: 'Memory is empty.',
		head: ['PATH', 'BYTES', 'VERSION', 'WRITTEN'],
		row: ({ path, size, version, updated_at }) => [path, String(size), `v${version}`, updated_at],
	})
}

async function get({ io, memory, url, path, version }: Context): Promise<void> {
	const found = await memory.get(url, named(path), version)
	io.result(found, found.content)
}

async function put({ io, memory, url, path, file, version }: Context): Promise<void> {
	if (!file) throw new UsageError('memory put takes a path and the file to store there; - is standard input')
	const written = await about(file, memory.put(url, named(path), readText(file), version))
	io.result(written, `${written.path} is version ${written.version}`)
}

async function remove({ io, memory, url, path, version }: Context): Promise<void> {
	await memory.remove(url, named(path), version)
	io.result({ path, deleted: true }, `${path} is deleted`)
}

async function versions({ io, memory, url, path }: Context): Promise<void> {
	tellList(io, await memory.versions(url, named(path)), {
		none: 'No versions.',
		head: ['VERSION', 'BYTES', 'WRITTEN', 'BY'],
		row: ({ version, sha256, size, updated_at, updated_by }) => [
			`v${version}`,
			sha256 === null ? 'deleted' : String(size),
			updated_at,
			updated_by,
		],
	})
}

async function clear({ io, memory, name, url, yes }: Context): Promise<void> {
	if (!(await agreed(io, `the memory of ${name}, with all its versions`, yes))) return
	const erased = await memory.clear(url)
	io.result(erased, `Erased ${counted(erased.deleted, 'file')} with all versions`)
}

function named(path: string | undefined): string {
	if (!path) throw new UsageError('this takes the path of a file in memory')
	return path
}

/** Of the file, or of standard input (`-`). */
function readText(file: string): string {
	let bytes: Buffer
	try {
		bytes = readFileSync(file === '-' ? 0 : file)
	} catch (error) {
		throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
	}
	const where = file === '-' ? 'standard input' : file
	if (!isUtf8(bytes)) throw new CommandError(`${where} is not UTF-8; memory holds text alone`)
	return bytes.toString()
}
