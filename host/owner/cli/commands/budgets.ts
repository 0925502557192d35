import { type Command, InvalidArgumentError } from 'commander'
import type { BudgetReport, Budgets, Client, Deployment } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import { table } from '../io.ts'
import { whole } from '../list.ts'
import { findDeployment, session } from '../session.ts'
import { usdText } from '../usd.ts'

interface Options {
	tokens?: number
	usd?: number
	key?: string
	/** `--no-limit` makes it false. */
	limit: boolean
}

/** Of a calendar month (UTC). */
export function budgetsCommand(program: Command): void {
	command(program, 'budgets <name>', 'what runs may use of models in a month, and what they have used')
		.option('--tokens <count>', 'set: input and output tokens a month', whole(0, 1e15))
		.option('--usd <amount>', 'set: US dollars a month', amount)
		.option('--no-limit', 'remove the budget')
		.option('--key <id>', 'of a run key and its successors, instead of the whole deployment')
		.action(
			does<Options>(async (io, { tokens, usd, limit, key }, name) => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				const budgets = wanted(tokens, usd)
				if (budgets && !limit) throw new UsageError('--no-limit goes with neither --tokens nor --usd')
				if (budgets || !limit) await set(client, deployment, key, budgets)
				else if (key !== undefined) throw new UsageError('--key goes with --tokens, --usd or --no-limit')
				const report = await client.deployments.budgets(deployment.id)
				for (const model of report.unpriced_models ?? []) io.note(unpriced(model))
				io.result(report, shown(report))
			}),
		)
}

function wanted(tokens: number | undefined, usd: number | undefined): Budgets | null {
	if (tokens === undefined && usd === undefined) return null
	return {
		...(tokens !== undefined && { tokens_per_month: tokens }),
		...(usd !== undefined && { usd_per_month: usd }),
	}
}

async function set(
	client: Client,
	{ id }: Deployment,
	key: string | undefined,
	budgets: Budgets | null,
): Promise<void> {
	if (key === undefined) return void (await client.deployments.patch(id, { budgets }))
	if (!/^key_[0-9a-z]{26}$/.test(key)) throw new CommandError(`"${key}" is no id of a run key`)
	await client.deployments.patchKey(id, key, { budgets })
}

/** Of `provider/model`. Without a price no call of it can be kept within a budget in dollars. */
function unpriced(model: string): string {
	const cut = model.indexOf('/')
	const [provider, name] = [model.slice(0, cut), model.slice(cut + 1)]
	const set = `berth admin prices set ${name} --provider ${provider} --input USD --output USD`
	return `The price of ${name} is not known: with a budget in US dollars every call of it is refused (budget_reached). An operator sets it: ${set}`
}

function shown({ month, deployment, keys }: BudgetReport): string {
	const all = [
		...(deployment ? [{ of: 'deployment', ...deployment }] : []),
		...keys.map(({ lineage, ...state }) => ({ of: lineage, ...state })),
	]
	const rows = all.map(({ of, budgets, used }) => [
		of,
		`${used.tokens}${budgets.tokens_per_month === undefined ? '' : ` of ${budgets.tokens_per_month}`}`,
		`${used.usd === null ? 'unknown' : usdText(used.usd)}${budgets.usd_per_month === undefined ? '' : ` of ${budgets.usd_per_month}`}`,
	])
	return rows.length === 0 ? 'No budgets.' : table([[`IN ${month}`, 'TOKENS', 'USD'], ...rows])
}

function amount(text: string): number {
	const usd = Number(text)
	if (text.trim() === '' || !(usd >= 0 && usd <= 1e9))
		throw new InvalidArgumentError('It takes US dollars, from 0 to 1000000000.')
	return usd
}
