import type { z } from 'zod'
import {
	Account,
	ChangedAccount,
	GuardUsage,
	IssuedToken,
	LedgerPage,
	Plan,
	TokenList,
} from '../../api/account.ts'
import {
	AdminAccount,
	AdminAccountPage,
	AdminCancel,
	AdminHostList,
	AdminRunPage,
	ChangedAdminAccount,
	CreatedAccount,
	PlanList,
	type PutPlan,
	SignInLink,
} from '../../api/admin.ts'
import { AuditPage } from '../../api/audit.ts'
import { ErasedAccount } from '../../api/erasure.ts'
import { type ChangeGuard, GuardStatus } from '../../api/guard.ts'
import { Price, PriceList, type PutPrice } from '../../api/prices.ts'
import { ConsoleToken, SessionList } from '../../api/sessions.ts'
import { type Http, post } from './http.ts'

export interface NewAccount {
	email: string
	password?: string
	plan?: string
	tester?: boolean
	operator?: boolean
	/** Answer with a personal token, too. */
	token?: boolean
}

export type GuardState = z.infer<typeof GuardStatus>
export type GuardChange = z.input<typeof ChangeGuard>
export type AccountChange = Partial<{
	plan: string
	tester: boolean
	operator: boolean
	disabled: boolean
	password: string
}>

/** Of millions of runs; one that is cut off is called again, and goes on. */
const ERASE_TIMEOUT_MS = 3_600_000

export type AuditQuery = { operation?: string; since?: string; limit?: number; cursor?: string }

export function accountCalls(http: Http, base: string) {
	return {
		get: () => http.json(Account, { method: 'GET', url: `${base}/v1/account` }),
		/** `current`: the one that is replaced, where there is one. */
		setPassword: (password: string, current?: string) =>
			http.json(ChangedAccount, {
				method: 'PATCH',
				url: `${base}/v1/account`,
				body: { password, ...(current !== undefined && { current_password: current }) },
			}),
		/** Whether alerts are sent to the account's e-mail address. */
		setAlertMail: (on: boolean) =>
			http.json(Account, { method: 'PATCH', url: `${base}/v1/account`, body: { alert_mail: on } }),
		ledger: (query: { limit?: number; cursor?: string } = {}) =>
			http.json(LedgerPage, { method: 'GET', url: `${base}/v1/account/ledger`, query }),
		tokens: () => http.json(TokenList, { method: 'GET', url: `${base}/v1/tokens` }),
		createToken: (name: string, expiresAt?: string) =>
			http.json(IssuedToken, post(`${base}/v1/tokens`, { name, expires_at: expiresAt })),
		revokeToken: async (id: string) =>
			void (await http.send({ method: 'DELETE', url: `${base}/v1/tokens/${id}` })),
		guardUsage: () => http.json(GuardUsage, { method: 'GET', url: `${base}/v1/account/guard-usage` }),
		/** Sets the session cookie, which the browser keeps. */
		signIn: async (email: string, password: string) =>
			void (await http.send({
				method: 'POST',
				url: `${base}/v1/session`,
				body: { email, password },
			})),
		signOut: async () => void (await http.send({ method: 'DELETE', url: `${base}/v1/session` })),
		/** For the page that holds the session: reaches deployments at their own addresses. */
		consoleToken: () => http.json(ConsoleToken, { method: 'POST', url: `${base}/v1/session/token` }),
		sessions: () => http.json(SessionList, { method: 'GET', url: `${base}/v1/sessions` }),
		revokeSession: async (id: string) =>
			void (await http.send({ method: 'DELETE', url: `${base}/v1/sessions/${encodeURIComponent(id)}` })),
		audit: (query: AuditQuery = {}) =>
			http.json(AuditPage, { method: 'GET', url: `${base}/v1/audit`, query }),
		/** `confirm`: its own e-mail address. */
		erase: (confirm: string) =>
			http.json(ErasedAccount, {
				...post(`${base}/v1/account/erase`, { confirm }),
				timeoutMs: ERASE_TIMEOUT_MS,
			}),
	}
}

/** For operators. */
export function adminCalls(http: Http, base: string) {
	const root = `${base}/v1/admin/accounts`
	return {
		createAccount: (account: NewAccount) => http.json(CreatedAccount, post(root, account)),
		accounts: (query: { email?: string; limit?: number; cursor?: string } = {}) =>
			http.json(AdminAccountPage, { method: 'GET', url: root, query }),
		changeAccount: (id: string, change: AccountChange) =>
			http.json(ChangedAdminAccount, { method: 'PATCH', url: `${root}/${id}`, body: change }),
		credit: (id: string, credits: number, reason?: string) =>
			http.json(AdminAccount, post(`${root}/${id}/credits`, { credits, reason })),
		eraseAccount: (id: string) =>
			http.json(ErasedAccount, {
				...post(`${root}/${id}/erase`, { confirm: id }),
				timeoutMs: ERASE_TIMEOUT_MS,
			}),
		hosts: () => http.json(AdminHostList, { method: 'GET', url: `${base}/v1/admin/hosts` }),
		runs: (query: { limit?: number; cursor?: string } = {}) =>
			http.json(AdminRunPage, { method: 'GET', url: `${base}/v1/admin/runs`, query }),
		signInLink: (id: string) => http.json(SignInLink, post(`${root}/${encodeURIComponent(id)}/sign-in-link`)),
		plans: () => http.json(PlanList, { method: 'GET', url: `${base}/v1/admin/plans` }),
		putPlan: (name: string, plan: z.input<typeof PutPlan>) =>
			http.json(Plan, {
				method: 'PUT',
				url: `${base}/v1/admin/plans/${encodeURIComponent(name)}`,
				body: plan,
			}),
		cancelRun: (id: string) =>
			http.json(AdminCancel, post(`${base}/v1/admin/runs/${encodeURIComponent(id)}/cancel`)),
		audit: (query: AuditQuery & { account?: string } = {}) =>
			http.json(AuditPage, { method: 'GET', url: `${base}/v1/admin/audit`, query }),
		prices: () => http.json(PriceList, { method: 'GET', url: `${base}/v1/admin/prices` }),
		putPrice: (price: PutPrice) =>
			http.json(Price, { method: 'PUT', url: `${base}/v1/admin/prices`, body: price }),
		deletePrice: async (provider: string, model: string) =>
			void (await http.send({
				method: 'DELETE',
				url: `${base}/v1/admin/prices`,
				query: { provider, model },
			})),
		guard: () => http.json(GuardStatus, { method: 'GET', url: `${base}/v1/admin/guard` }),
		changeGuard: (switches: GuardChange) =>
			http.json(GuardStatus, { method: 'PATCH', url: `${base}/v1/admin/guard`, body: switches }),
	}
}
