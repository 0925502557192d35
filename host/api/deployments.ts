import { z } from 'zod'
import { Budgets } from './budgets.ts'
import { cursor, nameOf, Problem } from './common.ts'
import { Credential } from './credentials.ts'
import { InFlight, runStatuses } from './runs.ts'
import { UnfitSchedule } from './schedules.ts'

// Deployments (spec deployment.states).

export const deploymentStates = ['creating', 'running', 'stopping', 'failed', 'stopped'] as const

const schema = z.record(z.string(), z.unknown())

/** The agent of a version, resolved. */
export const Agent = z
	.object({
		name: z.string(),
		description: z.string().nullable(),
		digest: z.string(),
		commit: z.string(),
		/** JSON Schema 2020-12. */
		inputs: schema,
		output: schema.nullable(),
		/** `fallbacks`: asked in turn where it fails. */
		model: z.record(z.string(), z.unknown()),
		/** Further models by name. */
		models: z.record(z.string(), z.record(z.string(), z.unknown())),
		limits: z.record(z.string(), z.number()),
		requires: z.array(z.record(z.string(), z.unknown())),
		/** Origins that its programs may call, with methods and headers; secrets in these are names. */
		http: z.record(z.string(), z.record(z.string(), z.unknown())),
		/** Models whose providers search the web for it, at most `max_uses` times in one model call. */
		web_search: z.array(
			z.object({
				provider: z.string(),
				model: z.string(),
				max_uses: z.number(),
				allowed_domains: z.array(z.string()).optional(),
				blocked_domains: z.array(z.string()).optional(),
				user_location: z.record(z.string(), z.string()).optional(),
			}),
		),
	})
	.meta({ id: 'Agent' })

export const Deployment = z
	.object({
		id: z.string(),
		name: z.string(),
		/** `deployment_url`. */
		url: z.string(),
		/** Where it runs: only hosts of this place do so, and `url` is there. */
		place: z.string(),
		/** Whether a host of its place is alive. If none is, its address does not answer, and nothing of it runs. */
		place_alive: z.boolean(),
		state: z.enum(deploymentStates),
		state_reason: z.string().nullable(),
		state_since: z.string(),
		version: z.number(),
		agent: Agent,
		/** Public JWK (X25519) that credentials are sealed to. */
		sealing_key: z.record(z.string(), z.string()),
		credentials: z.array(Credential),
		run_key_issued_at: z.string().nullable(),
		budgets: Budgets.nullable(),
		/** Days that its ended runs are kept; null: as long as plan and host say. */
		retain_days: z.number().int().nullable(),
		created_at: z.string(),
	})
	.meta({ id: 'Deployment' })

/** What became of its runs. */
export const Activity = z
	.object({
		last_run: z
			.object({
				id: z.string(),
				status: z.enum(runStatuses),
				error: z.string().nullable(),
				created_at: z.string(),
			})
			.nullable(),
		/** Accepted in the last 24 hours; counted up to 10,000. */
		runs_24h: z.number().int(),
		failed_24h: z.number().int(),
		/** Calls that were refused before there was a run, in the last 24 hours to the hour. */
		refused_24h: z.number().int(),
	})
	.meta({ id: 'Activity' })

/** As it is read, one or a page of them. */
export const DeploymentWithActivity = Deployment.extend({ activity: Activity }).meta({
	id: 'DeploymentWithActivity',
})

/** The answer of the create: with it the owner's machine may upload credentials for an hour. */
export const CreatedDeployment = Deployment.extend({
	upload_token: z.string(),
	upload_token_expires_at: z.string(),
}).meta({ id: 'CreatedDeployment' })

/** With another version active. */
export const ActivatedDeployment = Deployment.extend({
	/** Live schedules whose inputs do not fit the version. They stay, and their runs are refused. */
	unfit_schedules: z.array(UnfitSchedule),
}).meta({ id: 'ActivatedDeployment' })

/** What the owner knows it by; its letters begin the address, which a later change of name leaves as it is. */
export const deploymentName = nameOf(60).check(({ value, issues }) => {
	const message = misleading(value)
	if (message) issues.push({ code: 'custom', message, input: value })
})

/** Commands and pages find a deployment by its name: one that reads as something else there is refused. */
export function misleading(name: string): string | null {
	if (name.startsWith('-')) return 'begins with -, which commands read as an option'
	if (name === '.' || name === '..') return 'is . or .., which addresses read as a folder'
	if (name.includes('/')) return 'holds a /, which addresses read as a folder'
	return /^dep_[0-9a-z]{26}$/.test(name) ? 'is the id of a deployment' : null
}

/** `?dry_run=true`: every fault at once, and nothing created. */
export const DryRun = z
	.object({
		ok: z.boolean(),
		/** Each what the create would answer. */
		faults: z.array(Problem),
		agent: Agent.nullable(),
		/** Functions of its skills that the model may call; descriptions are cut short. */
		tools: z.array(z.object({ name: z.string(), skill: z.string(), description: z.string() })),
		/** What would have to be sealed and uploaded. */
		credentials: z.array(Credential.pick({ name: true, kind: true, needed_by: true, aud: true })),
		/** Of a new version: live schedules whose inputs would not fit it. They are no fault. */
		unfit_schedules: z.array(UnfitSchedule),
	})
	.meta({ id: 'DryRun' })

/** What holds a place in the plan's limit (`running_agent_limit_reached`). */
export const Slot = z
	.object({ deployment: z.string(), name: z.string(), state: z.enum(deploymentStates), since: z.string() })
	.meta({ id: 'Slot' })

export const DeploymentQuery = z.strictObject({
	name: z.string().optional(),
	limit: z.coerce.number().int().min(1).max(100).default(100),
	cursor,
})

export const DeploymentPage = z
	.object({ data: z.array(DeploymentWithActivity), next_cursor: z.string().nullable() })
	.meta({ id: 'DeploymentPage' })

export const PatchDeployment = z
	.strictObject({
		name: deploymentName.optional(),
		budgets: Budgets.nullish(),
		retain_days: z.number().int().min(1).max(36_500).nullish(),
	})
	.meta({ id: 'PatchDeployment' })

/** The ready-made request of one deployment. */
export const ReadyRequest = z
	.object({
		method: z.literal('POST'),
		url: z.string(),
		headers: z.record(z.string(), z.string()),
		body: z.object({ inputs: z.record(z.string(), z.unknown()) }),
		/** Inputs that are files. If there are any, the body is a form: `inputs` as JSON, and a file for each of these. */
		files: z.array(z.string()),
		curl: z.string(),
	})
	.meta({ id: 'ReadyRequest' })

export const StartedDeployment = Deployment.extend({
	/** At the first start only, and never again. */
	run_key: z.string().optional(),
	/** Where no key is shown: how to get another. */
	run_key_hint: z.string().optional(),
	/** What the provider said when it was asked; `skipped` where it was already running. */
	provider: z.object({ status: z.enum(['ok', 'unreachable', 'skipped']), detail: z.string() }),
	request: ReadyRequest,
}).meta({ id: 'StartedDeployment' })

/** Body of `POST …/stop`. */
export const StopDeployment = z
	.strictObject({ drain_seconds: z.number().min(0).max(3600).default(30) })
	.prefault({})
	.meta({ id: 'StopDeployment' })

export const StoppedDeployment = Deployment.extend({
	/** What was live when the stop was asked for. */
	in_flight: z.array(InFlight),
	/** Those of them that had to be cancelled. */
	cancelled: z.array(z.string()),
}).meta({ id: 'StoppedDeployment' })

export const Version = z
	.object({ version: z.number(), active: z.boolean(), created_at: z.string(), agent: Agent })
	.meta({ id: 'Version' })
export const VersionList = z.object({ data: z.array(Version) }).meta({ id: 'VersionList' })

export type Agent = z.infer<typeof Agent>
export type Activity = z.infer<typeof Activity>
export type DeploymentWithActivity = z.infer<typeof DeploymentWithActivity>
export type Deployment = z.infer<typeof Deployment>
export type ActivatedDeployment = z.infer<typeof ActivatedDeployment>
export type CreatedDeployment = z.infer<typeof CreatedDeployment>
export type StartedDeployment = z.infer<typeof StartedDeployment>
export type StoppedDeployment = z.infer<typeof StoppedDeployment>
export type DeploymentPage = z.infer<typeof DeploymentPage>
export type DryRun = z.infer<typeof DryRun>
export type Slot = z.infer<typeof Slot>
export type ReadyRequest = z.infer<typeof ReadyRequest>
export type Version = z.infer<typeof Version>
export type VersionList = z.infer<typeof VersionList>
