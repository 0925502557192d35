import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { buildBundle } from '../../../../bundles/index.ts'
import {
	ApiError,
	type BundleFile,
	type Client,
	type CreatedDeployment,
	type Deployment,
	type NewDeployment,
	type StartedDeployment,
} from '../../client/index.ts'
import { command, does } from '../command.ts'
import { examiner } from '../examine/index.ts'
import { CommandError, faultLines, UsageError } from '../failure.ts'
import { Interrupted, watchInterrupts } from '../interrupt.ts'
import { type Io, table } from '../io.ts'
import { searchLine } from '../searches.ts'
import {
	gatherSecrets,
	requireGiven,
	requireNamed,
	type SecretOptions,
	secretOptions,
	upload,
} from '../secrets.ts'
import { session } from '../session.ts'
import { tellLeftOut, withoutTypes } from './bundle.ts'
import { openBundle, readBundleFile } from './inspect.ts'

interface Options extends SecretOptions {
	name?: string
	place?: string
	dryRun?: boolean
	types: boolean
}

export function deployCommand(program: Command): void {
	secretOptions(
		command(program, 'deploy [agent]', 'deploy an agent (a folder in a git repository, or a bundle)'),
	)
		.option('-n, --name <name>', 'name of the deployment')
		.option('--place <id>', 'where it runs, one of GET /v1/places (default: where the host is)')
		.option('--dry-run', 'check everything that can be checked, create nothing')
		.option(...withoutTypes)
		.action(does<Options>(deploy))
}

/** The wizard (spec cli.wizard). Secrets are asked for before anything is created, so that giving up leaves nothing. */
async function deploy(io: Io, options: Options, agent = '.'): Promise<void> {
	const client = session(io)
	const prepared = await prepare(io, client, options, agent).catch((error: unknown) => {
		throw error instanceof Interrupted ? new Interrupted('stopped; nothing was created') : error
	})
	if (!prepared) return
	const { plan, secrets } = prepared

	const interrupts = watchInterrupts()
	try {
		io.step('Creating the deployment …')
		const created = await client.deployments.create(plan)
		await interrupts.race(launch(io, client, created, secrets)).catch(async (error: unknown) => {
			const left = await giveUp(io, client, created, error instanceof Interrupted)
			if (error instanceof Interrupted) throw new Interrupted(`stopped; ${left}`)
			io.note(left)
			throw error
		})
	} finally {
		interrupts.close()
	}
}

interface Prepared {
	plan: NewDeployment
	secrets: Map<string, Record<string, string>>
}

/** Everything that can be known before something is created; null after a dry run. */
async function prepare(io: Io, client: Client, options: Options, agent: string): Promise<Prepared | null> {
	const bundle = await loadBundle(io, agent, options)
	const name =
		options.name ?? (io.interactive ? await io.ask('Name of the deployment', bundle.agentName) : undefined)
	if (!name) throw new UsageError('give the deployment a name: --name N')
	const place = options.place ?? (io.interactive ? await askPlace(io, client) : undefined)

	io.step(`Checking ${bundle.fileName} with ${client.baseUrl} …`)
	const plan = { ...bundle, name, place }
	const checked = await client.deployments.dryRun(plan)
	if (options.dryRun) {
		if (checked.ok) requireGiven(checked.credentials, options)
		tellDryRun(io, checked)
		return null
	}
	const [fault] = checked.faults
	if (fault) throw new ApiError(fault.status, fault.code, fault.detail, { ...fault, faults: checked.faults })
	requireNamed(checked.credentials, options)
	for (const line of searchLines(checked.agent)) io.note(line)
	tellNeeds(io, checked.credentials)
	return { plan, secrets: await gatherSecrets(io, checked.credentials, options) }
}

/** Where there is a choice. */
async function askPlace(io: Io, client: Client): Promise<string | undefined> {
	const { data } = await client.deployments.places()
	if (data.length < 2) return undefined
	const told = ({ url, deployable }: (typeof data)[number]) =>
		deployable ? (url ?? '') : 'no host of it is alive'
	io.note(table(data.map((place) => [`  ${place.id}`, told(place)])))
	for (;;) {
		const id = await io.ask('Where it runs', data.find((place) => place.default)?.id)
		const place = data.find((one) => one.id === id)
		if (place?.deployable) return id
		io.note(place ? `No host of the place ${id} is alive.` : `There is no place ${id}.`)
	}
}

async function launch(
	io: Io,
	client: Client,
	created: CreatedDeployment,
	secrets: Prepared['secrets'],
): Promise<void> {
	await upload(io, client, created, secrets, created.upload_token)
	io.step('Asking the provider, and starting …')
	tellStarted(io, await client.deployments.start(created.id))
}

/** `options`: unset, its programs are not examined. */
export async function loadBundle(
	io: Io,
	agent: string,
	options?: { types: boolean },
): Promise<BundleFile & { agentName: string }> {
	const found = statSync(agent, { throwIfNoEntry: false })
	if (!found) throw new CommandError(`there is no ${agent}`)
	if (found.isFile()) {
		const bytes = readBundleFile(agent)
		return { bytes, fileName: 'upload.agent', agentName: openBundle(agent, bytes).agent.name }
	}
	const built = await buildBundle(agent, options && examiner(io, { ...options, directory: agent }))
	tellLeftOut(io, built)
	return { bytes: built.bytes, fileName: built.fileName, agentName: built.manifest.agent.name }
}

export function tellDryRun(io: Io, checked: Checked): void {
	const faults = checked.faults.flatMap((fault) => faultLines(fault as Parameters<typeof faultLines>[0]))
	const needs = checked.credentials.map(({ name, needed_by }) => `  ${name}  for ${needed_by}`)
	const tools =
		checked.tools.length === 0
			? []
			: ['Tools of its skills:', ...checked.tools.map(({ name, skill }) => `  ${name}  of ${skill}`)]
	const text = checked.ok
		? [
				'Nothing stands in the way.',
				...tools,
				...searchLines(checked.agent),
				...unfitLines(checked.unfit_schedules),
				'Credentials it will need:',
				...needs,
			]
		: faults
	if (checked.ok || io.json) io.result(checked, text.join('\n'))
	else for (const line of text) io.note(`berth: ${line}`)
	if (!checked.ok) process.exitCode = 1
}

/** What runs at the provider passes no approval and no guard: its owner is told before it is deployed. */
export const searchLines = (agent: Checked['agent']) =>
	(agent?.web_search ?? []).map((one) => `Its provider searches the web: ${searchLine(one)}`)

/** Schedules are kept by an update, so their owner is told now what each of their times would say. */
export const unfitLines = (unfit: Checked['unfit_schedules']) =>
	unfit.map(({ schedule, cron, timezone, errors: [first] }) => {
		const fault = first ? ` (${first.path} ${first.message})` : ''
		return `The schedule ${schedule} (${cron}, ${timezone}) does not fit this version${fault}: its runs are refused until its inputs or the version are changed.`
	})

type Checked = Awaited<ReturnType<Client['deployments']['dryRun']>>

function tellNeeds(io: Io, needs: { name: string; needed_by: string; aud: string }[]): void {
	if (!io.interactive || needs.length === 0) return
	io.note('The agent needs these credentials. They are encrypted here and only its runtime can open them:')
	io.note(table(needs.map(({ name, needed_by, aud }) => [`  ${name}`, needed_by, `goes to ${aud} only`])))
}

function tellStarted(io: Io, started: StartedDeployment): void {
	const { run_key, request, provider, ...deployment } = started
	if (provider.status === 'unreachable')
		io.note(`The provider could not be asked about the key: ${provider.detail}`)
	const signIn = deployment.credentials.filter(({ state, kind }) => state !== 'ready' && kind === 'oauth')
	for (const { needed_by } of signIn)
		io.note(`${needed_by} still needs a sign-in: berth connect ${deployment.name}`)
	io.result(started, () =>
		[
			`${deployment.name} is ${deployment.state} at ${deployment.url}`,
			'',
			...(run_key ? [`Run key (shown this once): ${run_key}`, ''] : []),
			'Call it:',
			request.curl,
		].join('\n'),
	)
}

/**
 * A deployment that was created and does not start takes a slot until it is cancelled (spec cli.wizard-script): a
 * person decides, a script and a person who has pressed Ctrl-C leave nothing behind. Says what is left.
 */
async function giveUp(
	io: Io,
	client: Client,
	{ id, name }: Deployment,
	interrupted: boolean,
): Promise<string> {
	const asks = io.interactive && !interrupted
	if (asks && !(await io.confirm(`${name} was created but does not start. Give it up?`)))
		return `Kept; it takes a slot. Mend it with: berth credentials ${name} --set, then: berth start ${name}`
	try {
		// One whose start had come through is no more to be cancelled, and is removed all the same.
		await client.deployments.cancel(id).catch(() => undefined)
		await client.deployments.remove(id)
		return `${name} was given up; nothing is left of it.`
	} catch {
		return `${name} was not started and takes a slot; end it with: berth delete ${name}`
	}
}
