import type { FastifyInstance } from 'fastify'
import type { ConnectorDeps } from './deps.ts'
import { openAccounts } from './guard/accounts.ts'
import { openGate } from './guard/gate.ts'
import { openQueue } from './guard/queue.ts'
import { openSettings, type Switches } from './guard/settings.ts'
import { traced } from './guard/traced.ts'
import { openWindows } from './guard/windows.ts'
import { mcpRoutes } from './mcp/index.ts'
import { openTokenizer } from './metering/tokens.ts'
import { type Day, openUsage, readDays } from './metering/usage.ts'
import { type Access, openAccessTokens } from './oauth/access.ts'
import { useClock } from './oauth/clock.ts'
import type { Devices } from './oauth/devices.ts'
import { type GrantShown, listGrants, revokeGrant } from './oauth/grants.ts'
import { oauthRoutes } from './oauth/index.ts'
import { sweep } from './sweep.ts'

export type { ConnectorDeps } from './deps.ts'
export type { Switches } from './guard/settings.ts'
export { type Checked, calibrate, checkJudge, QUESTION_COUNT, writeCalibration } from './judge/check/index.ts'
export { createJudge, type Judge, type JudgeSettings } from './judge/index.ts'
export type { Access } from './oauth/access.ts'
export type { DeviceRequest, Devices } from './oauth/devices.ts'
export { type Html, html } from './oauth/html.ts'
export type { Charge, GuardAccount, PasswordCheck, Platform, Program, ProgramNote } from './platform.ts'

const sweepMs = 3_600_000

/** What an operator sees. */
export interface Status {
	access: ConnectorDeps['access']
	switches: Switches
	/** Answered calls and their input tokens since the month (UTC) began. */
	month: { month: string; calls: number; tokens: number }
	/** Calls this host's judge has in hand. */
	held: { all: number; free: number }
}

export interface Connector {
	/** Null: unknown, expired, revoked, or for another resource. */
	verifyAccessToken(token: string, resource: string): Access | null | Promise<Access | null>
	/** Programs that wait for a person to type their code. */
	devices: Devices
	/** What the account has let in. */
	grants(accountId: string): Promise<GrantShown[]>
	/** Ends one with all its tokens. False: the account has no such grant. */
	revokeGrant(accountId: string, id: string): Promise<boolean>
	/** Answered calls of an account by day, from `since` (a day) on; days without any are left out. */
	daysOf(accountId: string, since: string): Promise<Day[]>
	status(): Status
	/** Takes effect on every host within a second. */
	set(change: Partial<Switches>): Promise<Switches>
	/** Idempotent. The judge is its maker's to close. */
	close(): Promise<void>
}

/** The guard: discovery, sign-in, tokens, `/mcp`. */
export async function mountConnector(app: FastifyInstance, deps: ConnectorDeps): Promise<Connector> {
	const { sql, clock, log } = deps
	if (deps.now) useClock(deps.now)
	const settings = await openSettings(deps)
	const usage = await openUsage(deps)
	const tokens = await openAccessTokens(deps)
	const queue = openQueue()
	const windows = openWindows(sql, clock)
	const accounts = openAccounts(deps)
	const parts = { accounts, settings, windows, usage, queue, countTokens: openTokenizer() }
	const gate = traced(openGate(deps, parts), deps)
	let devices: Devices | undefined
	await app.register(async (scope) => {
		devices = await oauthRoutes(scope, deps, tokens.forget)
	})
	if (!devices) throw new Error('the authorization server was not mounted')
	await app.register((scope) => mcpRoutes(scope, deps, gate, tokens))

	const sweeping = setInterval(() => {
		sweep(sql).catch((error) => log.warn({ err: error }, 'the guard’s tables could not be swept'))
	}, sweepMs)
	sweeping.unref()
	let closing: Promise<void> | null = null
	return {
		verifyAccessToken: tokens.verify,
		devices,
		daysOf: (accountId, since) => readDays(sql, accountId, since),
		grants: (accountId) => listGrants(sql, accountId),
		revokeGrant: (accountId, id) => revokeGrant(sql, accountId, id, tokens.forget),
		status: () => ({
			access: deps.access,
			switches: settings.current,
			month: usage.month(),
			held: queue.held(),
		}),
		set: settings.set,
		close: () => {
			clearInterval(sweeping)
			accounts.close()
			closing ??= Promise.all([settings.close(), usage.close(), tokens.close()]).then(() => {})
			return closing
		},
	}
}
