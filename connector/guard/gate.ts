import type { ConnectorDeps } from '../deps.ts'
import { JudgeError } from '../judge/types.ts'
import { allowance, cost, credits } from '../metering/credits.ts'
import type { CountTokens } from '../metering/tokens.ts'
import type { Metering } from '../metering/usage.ts'
import type { Charge, GuardAccount } from '../platform.ts'
import type { Accounts } from './accounts.ts'
import { batchedByKey } from './batch.ts'
import { messages, Refusal } from './messages.ts'
import type { Queue } from './queue.ts'
import type { Settings } from './settings.ts'
import { ArgumentError, type Prepared, type Success, type Tool } from './tool.ts'
import type { Windows } from './windows.ts'

const tokenLimit = 24_000
const judgeMs = 60_000
const noAnswer = 'Guard could not answer this call. Try again later.'

export type GuardAnswer =
	| { ok: true; content: Record<string, unknown> }
	/** Null: the balance is not known. */
	| { ok: false; message: string; allowance: string | null }

export interface Gate {
	/** Never throws: whatever happens is an answer. `traceparent`: the caller's, for traces alone. */
	call(
		tool: Tool,
		accountId: string,
		args: unknown,
		signal: AbortSignal,
		traceparent?: unknown,
	): Promise<GuardAnswer>
}

export interface GateParts {
	accounts: Accounts
	settings: Settings
	windows: Windows
	usage: Metering
	queue: Queue
	countTokens: CountTokens
}

/**
 * Every rule a call must pass (spec guard-limit.tool-errors), in the one order they are asked: what memory knows
 * first, then counting, then what Postgres decides. A call is admitted, counted and charged exactly when it is
 * answered: what the later steps took is given back when one after them fails, and an answer leaves only once its
 * charge is written.
 */
export function openGate(deps: ConnectorDeps, parts: GateParts): Gate {
	const { platform, judge, access, log } = deps
	const { accounts, settings, windows, usage, queue, countTokens } = parts
	const chargeAccount = batchedByKey((charge: Charge) => charge.accountId, platform.charge)

	async function admitAndAnswer(
		tool: Tool,
		account: GuardAccount,
		args: unknown,
		signal: AbortSignal,
		taken: Undo[],
	) {
		if (account.disabled || (access === 'testers' && !account.tester)) throw new Refusal(messages.disabled)
		if (settings.current.maintenance) throw new Refusal(messages.maintenance)
		const exceeded = windows.recall(account.id)
		if (exceeded) throw new Refusal(messages[exceeded])
		const prepared = tool.prepare(args)
		const tokens = await countTokens(prepared.texts, tokenLimit)
		if (tokens > tokenLimit) throw new Refusal(messages.tokens)
		const price = cost(account, tokens)

		if (!usage.take(account.id, tokens, settings.current.budget_tokens)) throw new Refusal(messages.budget)
		taken.push(() => usage.giveBack(account.id, tokens))
		if (account.balance < price) throw new Refusal(messages.wallet)
		const leave = queue.enter(!account.paid && !account.tester, settings.current)
		try {
			const admission = await windows.admit(account.id)
			if (!admission.admitted) throw new Refusal(messages[admission.reason])
			taken.push(() => windows.release(account.id, admission.at))

			const success = await ask(prepared, signal)
			await charge(account, price, tool.name)
			return content(success, account, tokens, price)
		} finally {
			leave()
		}
	}

	async function ask(prepared: Prepared, signal: AbortSignal): Promise<Success> {
		const ended = new AbortController()
		const end = () => ended.abort()
		const timer = setTimeout(end, judgeMs)
		signal.addEventListener('abort', end)
		try {
			return await prepared.run(judge, ended.signal)
		} catch (error) {
			if (error instanceof JudgeError && error.reason === 'capacity')
				throw new Refusal(messages.full, { cause: error })
			throw error
		} finally {
			clearTimeout(timer)
			signal.removeEventListener('abort', end)
		}
	}

	/** In `account.balance` afterwards: what is left, for the answer or for the refusal. */
	async function charge(account: GuardAccount, price: number, tool: string): Promise<void> {
		if (price === 0) return
		let taken: { charged: boolean; balance: number }
		try {
			taken = await chargeAccount({ accountId: account.id, amount: price, reason: tool })
		} catch (cause) {
			log.warn({ err: cause, account: account.id }, 'a guard call could not be charged')
			throw new Refusal(messages.credits, { cause })
		}
		account.balance = taken.balance
		accounts.noteBalance(account.id, taken.balance)
		if (!taken.charged) throw new Refusal(messages.wallet)
	}

	async function read(accountId: string): Promise<GuardAccount> {
		let account: GuardAccount | null
		try {
			account = await accounts.fresh(accountId)
		} catch (cause) {
			log.warn({ err: cause, account: accountId }, 'an account could not be read for a guard call')
			throw new Refusal(messages.credits, { cause })
		}
		if (!account) throw new Refusal(messages.disabled)
		return account
	}

	async function attempt(
		tool: Tool,
		account: GuardAccount,
		args: unknown,
		signal: AbortSignal,
	): Promise<GuardAnswer> {
		const taken: Undo[] = []
		try {
			return { ok: true, content: await admitAndAnswer(tool, account, args, signal, taken) }
		} catch (error) {
			for (const undo of taken.reverse()) {
				await Promise.resolve(undo()).catch((err) => log.warn({ err }, 'a guard call could not be uncounted'))
			}
			const expected = error instanceof Refusal || error instanceof ArgumentError
			if (!expected && !signal.aborted) log.error({ err: error, tool: tool.name }, 'a guard call failed')
			const message = expected ? error.message : noAnswer
			return { ok: false, message, allowance: allowance(account, account.balance) }
		}
	}

	return {
		call: async (tool, accountId, args, signal) => {
			try {
				const known = accounts.remembered(accountId)
				if (!known) return await attempt(tool, { ...(await read(accountId)) }, args, signal)
				const answer = await attempt(tool, { ...known }, args, signal)
				if (answer.ok) return answer
				// Refused by what was remembered: that is no reason. Otherwise only the balance may be out of date.
				const account = await read(accountId)
				if (accountMessages.has(answer.message)) return await attempt(tool, { ...account }, args, signal)
				return { ...answer, allowance: allowance(account, account.balance) }
			} catch (error) {
				return { ok: false, message: (error as Refusal).message, allowance: null }
			}
		},
	}
}

/** Refusals for what an account is or has. */
const accountMessages = new Set<string>([messages.disabled, messages.wallet, messages.free_full])

type Undo = () => void | Promise<void>

function content(
	success: Success,
	account: GuardAccount,
	tokens: number,
	price: number,
): Record<string, unknown> {
	return {
		ok: true,
		...success,
		usage: { input_tokens: tokens, credits: credits(price) },
		allowance_remaining: allowance(account, account.balance),
	}
}
