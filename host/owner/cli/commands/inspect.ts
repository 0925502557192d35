import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import {
	type Bundle,
	BundleError,
	httpSecrets,
	type Model,
	modelKeys,
	readBundle,
	webSearches,
} from '../../../../bundles/index.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { table } from '../io.ts'
import { searchLine } from '../searches.ts'

export function inspectCommand(program: Command): void {
	command(program, 'inspect <file>', 'verify a bundle and show what is in it').action(
		does(async (io, _options, file) => {
			const bundle = openBundle(file, readBundleFile(file))
			const { agent, digest, commit, skills, files } = bundle
			io.result(
				{
					digest,
					commit,
					agent,
					skills: skills.map(({ name, description }) => ({ name, description })),
					programs: bundle.scripts.map(({ name }) => name),
					packages: bundle.packages,
					files: [...files].map(([path, bytes]) => ({ path, size: bytes.length })),
				},
				() => describe(bundle),
			)
		}),
	)
}

/** A fault of the file itself, and of none within, names it. */
export function openBundle(file: string, bytes: Uint8Array): Bundle {
	try {
		return readBundle(bytes)
	} catch (error) {
		if (!(error instanceof BundleError)) throw error
		const { faults, scripts } = error
		throw new BundleError(
			faults.map((one) => (one.file === '' ? { ...one, file } : one)),
			scripts,
		)
	}
}

export function readBundleFile(file: string): Uint8Array {
	try {
		return readFileSync(file)
	} catch (error) {
		throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
	}
}

/** Each origin with its methods, and the secrets that go there. */
function httpOf(agent: Bundle['agent']): string {
	const secrets = httpSecrets(agent)
	return Object.entries(agent.http ?? {})
		.map(([origin, { methods }]) => {
			const own = secrets.filter((secret) => secret.origin === origin).map(({ name }) => `secret ${name}`)
			return `${origin} (${[...methods, ...own].join(', ')})`
		})
		.join('; ')
}

/** With what it falls back to. */
function written(model: Model): string {
	return [model, ...(model.fallbacks ?? [])]
		.map(
			(one) => `${one.provider} ${one.name}${'base_url' in one && one.base_url ? ` at ${one.base_url}` : ''}`,
		)
		.join(', then ')
}

function describe({ agent, digest, commit, skills, scripts, packages, files, memory }: Bundle): string {
	const { model, models = {}, limits } = agent
	const rows = [
		['name', agent.name],
		['description', agent.description || '–'],
		['digest', digest],
		['commit', commit],
		['model', written(model)],
		[
			'models',
			Object.entries(models)
				.map(([name, one]) => `${name}: ${written(one)}`)
				.join('; ') || '–',
		],
		[
			'keys',
			modelKeys(agent)
				.map(({ credential }) => credential)
				.join(', ') || '–',
		],
		['inputs', Object.keys((agent.inputs.properties ?? {}) as object).join(', ') || '–'],
		['output', agent.output ? 'JSON of a schema' : 'text'],
		[
			'limits',
			Object.entries(limits)
				.map(([name, value]) => `${name} ${value}`)
				.join(', '),
		],
		['skills', skills.map(({ name }) => name).join(', ') || '–'],
		['programs', scripts.map(({ name }) => name).join(', ') || '–'],
		[
			'packages',
			packages
				.map(
					({ name, version, license, bytes }) =>
						`${name} ${version} (${license ?? 'no licence named'}, ${bytes} bytes)`,
				)
				.join('; ') || '–',
		],
		[
			'connectors',
			agent.requires.map(({ connector, tools }) => `${connector} (${tools.join(', ')})`).join('; ') || '–',
		],
		['http', httpOf(agent) || '–'],
		['web search', webSearches(agent).map(searchLine).join('; ') || '–'],
		['memory', Object.keys(memory).join(', ') || '–'],
	]
	const listing = [...files].map(([path, bytes]) => [`  ${String(bytes.length).padStart(8)}`, path])
	return `${table(rows)}\n\n${table(listing)}`
}
