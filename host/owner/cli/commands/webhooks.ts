import type { Command } from 'commander'
import { type Client, type Delivery, type Deployment, webhookTypes } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError, documentOf, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { type PageOptions, paged, someOf, tellList, tellListAs } from '../list.ts'
import { findDeployment, session } from '../session.ts'

interface Options extends PageOptions {
	events?: string[]
}

interface Context {
	io: Io
	client: Client
	deployment: Deployment
	value: string | undefined
	options: Options
}

const actions = {
	add,
	list,
	remove,
	enable: (context: Context) => switchTo(context, false),
	disable: (context: Context) => switchTo(context, true),
	deliveries,
	redeliver,
	ping,
}

export function webhooksCommand(program: Command): void {
	const webhooks = command(program, 'webhooks <name> <action> [value]', 'webhooks of a deployment', actions)
	paged(webhooks)
		.option('--events <type...>', `with add: ${webhookTypes.join(', ')} (default: all)`, someOf(webhookTypes))
		.addHelpText(
			'after',
			'\n  add URL · list · remove ID · enable ID · disable ID · deliveries · redeliver ID · ping [ID]',
		)
		.action(
			does<Options>(async (io, options, name, action, value) => {
				const client = session(io)
				await actions[action as keyof typeof actions]({
					io,
					client,
					deployment: await findDeployment(client, name),
					value,
					options,
				})
			}),
		)
}

async function add({ io, client, deployment, value, options }: Context): Promise<void> {
	const url = URL.parse(value ?? '')
	if (!value || !url || !/^https?:$/.test(url.protocol))
		throw new UsageError('webhooks add takes the URL to call, with http or https')
	const endpoint = await client.webhooks.add(deployment.id, value, options.events)
	io.result(endpoint, `${endpoint.id}  ${endpoint.url}\nSecret (shown this once): ${endpoint.secret}`)
}

async function list({ io, client, deployment }: Context): Promise<void> {
	tellList(io, await client.webhooks.list(deployment.id), {
		none: 'No webhooks.',
		head: ['ID', 'EVENTS', 'STATE', 'URL'],
		row: ({ id, url, events, disabled_reason, failing_since }) => [
			id,
			events?.join(',') ?? 'all',
			disabled_reason
				? `disabled: ${disabled_reason}`
				: failing_since
					? `failing since ${failing_since}`
					: 'ok',
			url,
		],
	})
}

async function remove({ io, client, deployment, value }: Context): Promise<void> {
	if (!value) throw new UsageError('webhooks remove takes the id of an endpoint')
	await client.webhooks.remove(deployment.id, value)
	io.result({ id: value, deleted: true }, `${value} is removed`)
}

async function deliveries({ io, client, deployment, options }: Context): Promise<void> {
	const { limit, cursor } = options
	tellList(io, await client.webhooks.deliveries(deployment.id, { limit, cursor }), {
		none: 'No deliveries.',
		head: ['ID', 'TYPE', 'STATUS', 'TRIES', 'LAST'],
		row: deliveryRow,
	})
}

async function redeliver({ io, client, deployment, value }: Context): Promise<void> {
	if (!value) throw new UsageError('webhooks redeliver takes the id of a delivery')
	const delivery = await client.webhooks.redeliver(deployment.id, value)
	io.result(delivery, deliveryRow(delivery).join('  '))
}

/** Every endpoint is told on its line; any that did not take the ping makes it a failure. */
async function ping({ io, client, deployment, value }: Context): Promise<void> {
	const { data } = await client.webhooks.list(deployment.id)
	const targets = value ? [value] : data.map(({ id }) => id)
	if (targets.length === 0) throw new CommandError(`${deployment.name} has no webhooks`)
	const sent = await Promise.all(
		targets.map(async (endpoint) => {
			try {
				const delivery = await client.webhooks.ping(deployment.id, endpoint)
				const text = `${endpoint}  ${deliveryRow(delivery).join('  ')}`
				return { told: delivery as object, text, failed: delivery.status !== 'delivered' }
			} catch (error) {
				const text = `${endpoint}  ${(error as Error).message}`
				return { told: { endpoint, error: documentOf(error) }, text, failed: true }
			}
		}),
	)
	tellListAs(io, { data: sent.map(({ told }) => told) }, () => sent.map(({ text }) => text).join('\n'))
	if (sent.some(({ failed }) => failed)) process.exitCode = 1
}

async function switchTo({ io, client, deployment, value }: Context, disabled: boolean): Promise<void> {
	const how = disabled ? 'disable' : 'enable'
	if (!value) throw new UsageError(`webhooks ${how} takes the id of an endpoint`)
	const endpoint = await client.webhooks.patch(deployment.id, value, { disabled })
	const missed =
		'. Deliveries that failed meanwhile are not sent again by themselves: berth webhooks NAME deliveries lists them, and redeliver ID sends one'
	io.result(endpoint, `${endpoint.id} is ${how}d${disabled ? '' : missed.replace('NAME', deployment.name)}`)
}

function deliveryRow({ id, type, status, attempts }: Delivery): string[] {
	const last = attempts.at(-1)
	const what = last && (last.status === null ? (last.error ?? 'no answer') : statusText(last.status))
	const unsent = status === 'failed' ? 'endpoint was disabled' : ''
	const answer = last ? `${what} in ${last.latency_ms} ms` : unsent
	return [id, type, status, String(attempts.length), answer]
}

const redirects = [301, 302, 303, 307, 308]

const statusText = (status: number) =>
	redirects.includes(status) ? `${status}, a redirect, which is not followed,` : String(status)
