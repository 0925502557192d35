import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { counted } from '../counted.ts'
import { UsageError } from '../failure.ts'
import { type PageOptions, paged, tellList } from '../list.ts'
import { accountId, operator } from '../operator.ts'
import { auditCommand } from './admin-audit.ts'
import { eraseAccountCommand } from './admin-erase.ts'
import { guardCommand } from './admin-guard.ts'
import { pricesCommand } from './admin-prices.ts'
import { readStdin } from './login.ts'

export function adminCommand(program: Command): void {
	const admin = program.command('admin').description('for operators')
	guardCommand(admin)
	pricesCommand(admin)
	auditCommand(admin)
	const accounts = admin.command('accounts').description('accounts of this host')
	createCommand(accounts)
	setCommand(accounts)
	creditCommand(accounts)
	eraseAccountCommand(accounts)
	paged(command(accounts, 'list', 'all accounts')).action(
		does<PageOptions>(async (io, { limit = 100, cursor }) => {
			tellList(io, await (await operator(io)).admin.accounts({ limit, cursor }), {
				none: 'No accounts.',
				head: ['E-MAIL', 'PLAN', 'CREDITS', ''],
				row: ({ email, plan, credits, operator, tester, disabled }) => [
					email,
					plan,
					String(credits),
					[operator && 'operator', tester && 'tester', disabled && 'disabled'].filter(Boolean).join(', '),
				],
			})
		}),
	)
}

interface CreateOptions {
	email: string
	passwordStdin?: boolean
	plan?: string
	tester?: boolean
	operator?: boolean
	token?: boolean
}

function createCommand(accounts: Command): void {
	command(accounts, 'create', 'make an account')
		.requiredOption('--email <email>', 'its address')
		.option('--password-stdin', 'read its password from stdin (without: a one-time sign-in link is made)')
		.option('--plan <plan>', 'free, pro, team or another plan of this host')
		.option('--tester', 'may use the guard while it is for testers')
		.option('--operator', 'may administer')
		.option('--token', 'make a personal access token, too')
		.action(
			does<CreateOptions>(async (io, { passwordStdin, email, plan, tester, operator: isOperator, token }) => {
				const password = passwordStdin ? await readStdin() : undefined
				const account = await (await operator(io)).admin.createAccount({
					email,
					password,
					plan,
					tester,
					operator: isOperator,
					token,
				})
				const shown = [
					`${account.email} is made, on plan ${account.plan}`,
					...(account.token ? [`Personal access token (shown this once): ${account.token}`] : []),
					...(account.sign_in_link ? [`Signs in once, within a day: ${account.sign_in_link}`] : []),
				]
				io.result(account, shown.join('\n'))
			}),
		)
}

interface SetOptions {
	plan?: string
	tester?: boolean
	operator?: boolean
	disabled?: boolean
	passwordStdin?: boolean
	forgetOpenid?: true
}

function setCommand(accounts: Command): void {
	command(accounts, 'set <account>', 'change an account (by e-mail or id)')
		.option('--plan <plan>', 'its plan')
		.option('--tester', 'tester flag on')
		.option('--no-tester', 'tester flag off')
		.option('--operator', 'operator role on')
		.option('--no-operator', 'operator role off')
		.option('--disabled', 'close it: its agents stop')
		.option('--no-disabled', 'open it again')
		.option('--password-stdin', 'read a new password from stdin')
		.option('--forget-openid', 'its next sign-in with the OpenID provider binds it anew')
		.action(
			does<SetOptions>(
				async (
					io,
					{ plan, tester, operator: isOperator, disabled, passwordStdin, forgetOpenid },
					account,
				) => {
					const change = {
						plan,
						tester,
						operator: isOperator,
						disabled,
						password: passwordStdin ? await readStdin() : undefined,
						forget_openid: forgetOpenid,
					}
					if (Object.values(change).every((value) => value === undefined))
						throw new UsageError('name what to change; --help shows it')
					const client = await operator(io)
					const changed = await client.admin.changeAccount(await accountId(client, account), change)
					io.result(
						changed,
						`${changed.email}: plan ${changed.plan}, operator ${changed.operator}, tester ${changed.tester}, disabled ${changed.disabled}${passwordSet(changed.ended_sessions)}`,
					)
				},
			),
		)
}

const passwordSet = (ended?: number) =>
	ended === undefined
		? ''
		: `\nThe password is set, and ${counted(ended, 'browser session')} ended. Programs and personal access tokens stay; the account revokes them in the console under /hub/sessions and /hub/tokens.`

function creditCommand(accounts: Command): void {
	command(accounts, 'credit <account> <credits>', 'give credits, or with a minus take some')
		.option('--reason <text>', 'for the ledger')
		.action(
			does<{ reason?: string }>(async (io, { reason }, account, credits) => {
				const amount = Number(credits)
				if (!Number.isFinite(amount) || amount === 0)
					throw new UsageError(`"${credits}" is no number of credits`)
				const client = await operator(io)
				const changed = await client.admin.credit(await accountId(client, account), amount, reason)
				io.result(changed, `${changed.email} has ${changed.credits} credits`)
			}),
		)
}
