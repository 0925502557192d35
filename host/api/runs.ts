import { z } from 'zod'
import { cursor, moment } from './common.ts'

// Runs as the outside sees them. The answer of `/run` is written by hand (host/runs/live/view.ts) and a test
// holds it to these schemas, so that no run pays for parsing its own answer.

/** An OpenAPI document, which has its own schema. */
export const OpenApiDocument = z.looseObject({ openapi: z.string() })

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const

/** `usd` null: the price is not known. */
const Spent = z.object({ tokens: z.number(), usd: z.number().nullable() })

export const Usage = z
	.object({
		input_tokens: z.number(),
		cached_input_tokens: z.number(),
		output_tokens: z.number(),
		model_calls: z.number(),
		tool_calls: z.number(),
		/** Of them, those whose result is a failure; 0 for runs of before it was counted. */
		failed_tool_calls: z.number(),
		/** Requests of `ctx.http`. */
		http_calls: z.number(),
		/** Searches that providers made; 0 for runs of before they were counted. */
		web_searches: z.number(),
		/** Null: the price of one of its models is not known. */
		usd: z.number().nullable(),
		/** By the agents that it called, and those below, as they report; in none of the other sums. Absent where there are none. */
		agents: Spent.extend({
			/** All that was left to those that did not report; they may have used less. */
			unreported: Spent.optional(),
		}).optional(),
	})
	.meta({ id: 'Usage' })

/** What an answer rests on, as its provider says. Positions count from 0, and the end is not included. */
export const Citation = z
	.object({
		type: z.enum(['url_citation', 'file_citation']),
		title: z.string().nullable(),
		/** Of a page that web search found. */
		url: z.string().optional(),
		/** Id of a file of the run. */
		file: z.string().optional(),
		/** As it stands in the source; OpenAI does not tell it. */
		cited_text: z.string().optional(),
		/** Where in the output, which is text; absent where it is a value. */
		start_index: z.number().optional(),
		end_index: z.number().optional(),
		/** In a PDF, from 1. */
		start_page_number: z.number().optional(),
		end_page_number: z.number().optional(),
		/** In a text file. */
		start_char_index: z.number().optional(),
		end_char_index: z.number().optional(),
	})
	.meta({ id: 'Citation' })

export const Run = z
	.object({
		id: z.string(),
		deployment: z.string(),
		/** Of the bundle it runs on: a new version never changes a run in flight. */
		version: z.number(),
		status: z.enum(runStatuses),
		inputs: z.record(z.string(), z.unknown()),
		/** Text, or an object of the agent's output schema; null until it succeeded. */
		output: z.unknown(),
		/** Of an output that is a model's answer, as it stands or as the value that it says. */
		citations: z.array(Citation),
		error: z.object({ code: z.string(), message: z.string() }).nullable(),
		usage: Usage,
		created_at: z.string(),
		started_at: z.string().nullable(),
		completed_at: z.string().nullable(),
		/** It is not there from then on; null while it has not ended, or where it is kept for ever. */
		expires_at: z.string().nullable(),
	})
	.meta({ id: 'Run' })

/** Body of `POST {deployment_url}/run`. */
export const RunRequest = z
	.strictObject({ inputs: z.record(z.string(), z.unknown()) })
	.meta({ id: 'RunRequest' })

/** Answer of `DELETE {deployment_url}/runs/{run}`: the receipt, which the audit log keeps too. */
export const ErasedRun = z
	.object({
		run: z.string(),
		erased_at: z.string(),
		/** Finds the entry of the audit log. */
		request_id: z.string(),
		/** Commits of its journal; each holds the events that were written together. */
		journal: z.number().int(),
		approvals: z.number().int(),
		deliveries: z.number().int(),
		attempts: z.number().int(),
		files: z.number().int(),
	})
	.meta({ id: 'ErasedRun' })

/** `GET /v1/runs/{run}`: a run by its id alone. */
export const RunDetail = Run.extend({
	deployment_name: z.string(),
	/** `deployment_url`, below which its events are. */
	deployment_url: z.string(),
	/** The run key it was made with, as the newest of its rotation; null for a call by the owner, or a schedule. */
	key: z.string().nullable(),
	/** The schedule that began it; known for a day. */
	schedule: z.string().nullable(),
}).meta({ id: 'RunDetail' })

/** Query of `GET {deployment_url}/runs`; `live` stands for queued, running and waiting. */
export const RunQuery = z.strictObject({
	status: z.enum([...runStatuses, 'live']).optional(),
	limit: z.coerce.number().int().min(1).max(100).default(20),
	/** `next_cursor` of the page before. Newest first. */
	cursor,
})

export const RunPage = z
	.object({ data: z.array(Run), next_cursor: z.string().nullable() })
	.meta({ id: 'RunPage' })

export const eventData =
	'By type. `model.delta`: `call`, `attempt`, `text`. `model.completed` and `run.completed`: `citations` where there are any. A value of over 16 Ki characters is cut, or an output left out, and `truncated` is true: the run has `output` and `citations` whole. `model.retrying`: `call`, the `attempt` that is void, its `error`, `delay_ms`, `next` (the model that is asked instead), and `usage` where it is known. Of a call only the text of its highest attempt counts.'

const eventSeq =
	'Grows within the run, with gaps: entries of the journal that only a replay needs are no events.'

/** One event of a run: `id` of the SSE frame is `seq`, its `event` is `type`. */
export const RunEvent = z
	.object({
		seq: z.number().meta({ description: eventSeq }),
		run: z.string(),
		type: z.string(),
		at: z.string(),
		data: z.record(z.string(), z.unknown()).meta({ description: eventData }),
	})
	.meta({ id: 'RunEvent' })

/** `data` of `model.delta`. Of a call only the text of its highest `attempt` counts. */
export const ModelDelta = z
	.object({ call: z.number(), attempt: z.number(), text: z.string() })
	.meta({ id: 'ModelDelta' })

/** `data` of `model.retrying`: this attempt at a model call is void, with all its deltas; another one follows. */
export const ModelRetrying = z
	.object({
		call: z.number(),
		attempt: z.number(),
		error: z.object({ code: z.string(), message: z.string() }),
		/** From the event to the next attempt. */
		delay_ms: z.number(),
		/** Another model is asked from here on. */
		next: z.object({ provider: z.string(), model: z.string() }).optional(),
		/** What the attempt has cost, as far as it is known; part of the run's usage. */
		usage: Usage.pick({
			input_tokens: true,
			cached_input_tokens: true,
			output_tokens: true,
			web_searches: true,
			usd: true,
		})
			.partial({ web_searches: true })
			.optional(),
	})
	.meta({ id: 'ModelRetrying' })

/** A run over all deployments of an account; without inputs and output. */
export const AccountRun = z
	.object({
		id: z.string(),
		deployment: z.string(),
		deployment_name: z.string(),
		version: z.number(),
		status: z.enum(runStatuses),
		/** The run key it was made with, as the newest of its rotation; null for a call by the owner. */
		key: z.string().nullable(),
		error: z.object({ code: z.string(), message: z.string() }).nullable(),
		created_at: z.string(),
		started_at: z.string().nullable(),
		completed_at: z.string().nullable(),
	})
	.meta({ id: 'AccountRun' })

/** Query of `GET /v1/runs`; `live` stands for queued, running and waiting. */
export const AccountRunQuery = z.strictObject({
	status: z
		.enum([...runStatuses, 'live', 'all'])
		.optional()
		.meta({ description: 'Left out: `live`, or `all` where `code` is given, as only ended runs have one.' }),
	deployment: z.string().optional(),
	/** Of failed and cancelled runs. */
	code: z.string().max(100).optional(),
	/** A run key, or the lineage of one. */
	key: z.string().optional(),
	/** Runs accepted then or later. */
	since: moment().optional(),
	/** Runs accepted before. */
	until: moment().optional(),
	limit: z.coerce.number().int().min(1).max(100).default(100),
	cursor,
})

export const AccountRunPage = z
	.object({ data: z.array(AccountRun), next_cursor: z.string().nullable() })
	.meta({ id: 'AccountRunPage' })

/** Calls of `/run` that were refused before there was a run: one code in one hour, with the last reason. Kept 7 days. */
export const Refusal = z
	.object({
		/** When it began. */
		hour: z.string(),
		code: z.string(),
		count: z.number().int(),
		last_at: z.string(),
		detail: z.string(),
		/** JSON pointers into the body. */
		paths: z.array(z.string()),
	})
	.meta({ id: 'Refusal' })
export const RefusalList = z.object({ data: z.array(Refusal) }).meta({ id: 'RefusalList' })

/** Body of `POST /v1/runs/cancel`: exactly one of the three. */
export const CancelRuns = z
	.strictObject({
		deployment: z.string().optional(),
		key: z.string().optional(),
		all: z.literal(true).optional(),
	})
	.refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
		message: 'Name a deployment, a key, or all.',
	})
	.meta({ id: 'CancelRuns' })

/** A run that was live when it was asked to end, with its status at that moment. */
export const InFlight = z
	.object({ run: z.string(), deployment: z.string(), status: z.enum(runStatuses) })
	.meta({ id: 'InFlight' })

export const CancelRunsAnswer = z.object({ in_flight: z.array(InFlight) }).meta({ id: 'CancelRunsAnswer' })

/** `GET {deployment_url}`: what a run key may know of its deployment. */
export const DeploymentCard = z
	.object({
		name: z.string(),
		description: z.string().nullable(),
		state: z.string(),
		version: z.number(),
		inputs: z.record(z.string(), z.unknown()),
		output: z.record(z.string(), z.unknown()).nullable(),
		run_url: z.string(),
	})
	.meta({ id: 'DeploymentCard' })

export type Citation = z.infer<typeof Citation>
export type Run = z.infer<typeof Run>
export type RunDetail = z.infer<typeof RunDetail>
export type RunPage = z.infer<typeof RunPage>
export type ModelDelta = z.infer<typeof ModelDelta>
export type ModelRetrying = z.infer<typeof ModelRetrying>
export type RunEvent = z.infer<typeof RunEvent>
export type Usage = z.infer<typeof Usage>
export type AccountRun = z.infer<typeof AccountRun>
export type AccountRunPage = z.infer<typeof AccountRunPage>
export type Refusal = z.infer<typeof Refusal>
export type RefusalList = z.infer<typeof RefusalList>
export type InFlight = z.infer<typeof InFlight>
export type CancelRunsAnswer = z.infer<typeof CancelRunsAnswer>
export type DeploymentCard = z.infer<typeof DeploymentCard>
