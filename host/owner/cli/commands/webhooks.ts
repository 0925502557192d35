import type { Command } from 'commander'
import type { Client, Delivery, Deployment } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { type PageOptions, paged, tellList, tellListAs } from '../list.ts'
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
	deliveries,
	redeliver,
	ping,
}

export function webhooksCommand(program: Command): void {
	const webhooks = command(program, 'webhooks <name> <action> [value]', 'webhooks of a deployment', actions)
	paged(webhooks)
		.option(
			'--events <type...>',
			'with add: run.completed, run.failed, run.cancelled, run.waiting (default: all)',
		)
		.addHelpText('after', '\n  add URL · list · remove ID · deliveries · redeliver ID · ping')
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
	if (!value) throw new UsageError('webhooks add takes the URL to call')
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

async function ping({ io, client, deployment, value }: Context): Promise<void> {
	const { data } = await client.webhooks.list(deployment.id)
	const targets = value ? [value] : data.map(({ id }) => id)
	if (targets.length === 0) throw new CommandError(`${deployment.name} has no webhooks`)
	const sent = await Promise.all(targets.map((endpoint) => client.webhooks.ping(deployment.id, endpoint)))
	tellListAs(io, { data: sent }, () => sent.map((delivery) => deliveryRow(delivery).join('  ')).join('\n'))
}

function deliveryRow({ id, type, status, attempts }: Delivery): string[] {
	const last = attempts.at(-1)
	const answer = last ? `${last.status ?? last.error ?? 'no answer'} in ${last.latency_ms} ms` : ''
	return [id, type, status, String(attempts.length), answer]
}
