import { join } from 'node:path'
import { commitExample } from './agent.ts'
import { signInAs } from './browser.ts'
import { call, type Stage, type Told } from './stage.ts'

const NAME = 'claim-checker'
const CONNECT_TIMEOUT_MS = 30_000

const inputs = {
	draft: 'The bridge was opened in 1998. The bridge has four lanes.',
	sources: ['The bridge, opened in 1998, is 250 metres long and carries two lanes.'],
}

interface ToolEvent {
	type: string
	data: { name?: string; ok?: boolean; output?: string }
}

/** An agent that uses the guard of this very host: declared, signed in by its owner, called in a run. */
export async function tellClaims(stage: Stage, { url, person, berth }: Told): Promise<void> {
	const { report, provider, folder } = stage
	report.step('An agent that uses the guard is deployed')
	const agent = join(folder, NAME)
	const example = join(stage.root, 'bundles/examples', NAME)
	await commitExample(example, agent, { model: provider.model, connector: `${url}/mcp` })
	const keyEnv = provider.keyValue === undefined ? {} : { [provider.keyVariable]: provider.keyValue }
	const deploy = ['deploy', agent, '--name', NAME, '--provider-key-env', provider.keyVariable, '--json']
	const deployed = await berth(deploy, { env: keyEnv })
	report.check('it says that the guard needs a sign-in', deployed.stderr.includes(`berth connect ${NAME}`))
	const request = deployed.request as { url: string }
	const runKey = String(deployed.run_key)
	const early = await call(report, request.url, runKey, inputs)
	report.check('before it, a run is refused and nothing is spent', early.code === 'connector_not_connected')

	report.step('Its owner signs in to the guard; the demo plays the browser, over the real pages')
	const pages: string[] = []
	let walking: Promise<void> | undefined
	const onStderr = (text: string) => {
		const [address] = /http\S+\/authorize\?\S+/.exec(text) ?? []
		if (!address || walking) return
		walking = signInAs(person, address, (title) => pages.push(title))
		walking.catch(() => undefined)
	}
	const connect = ['connect', NAME, '--no-browser', '--json']
	await berth(connect, { onStderr, timeoutMs: CONNECT_TIMEOUT_MS })
	await walking
	for (const title of pages) report.text(`  the browser shows: ${title}`)
	const { data: credentials } = await berth(['credentials', NAME, '--json'])
	const states = (credentials as { kind: string; state: string }[]).filter(({ kind }) => kind === 'oauth')
	report.check(
		'the guard is connected',
		states.length === 1 && states.every(({ state }) => state === 'ready'),
	)

	report.step('A run has the guard check claims')
	const run = await call(report, request.url, runKey, inputs)
	report.check('the run succeeded', run.status === 'succeeded')
	const verified = (await eventsOf(request.url, run.id, runKey)).find(
		({ type, data }) => type === 'tool.completed' && data.name === 'guard_verify',
	)
	const result = JSON.parse(verified?.data.output ?? '{}') as { ok?: boolean }
	report.check('guard_verify answered with ok: true', result.ok === true)
}

async function eventsOf(runUrl: string, run: string, runKey: string): Promise<ToolEvent[]> {
	const headers = { authorization: `Bearer ${runKey}`, accept: 'text/event-stream' }
	const text = await (await fetch(`${runUrl}s/${run}/events`, { headers })).text()
	return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '{}']) => JSON.parse(data) as ToolEvent)
}
