import { eventData } from '../api/runs.ts'
import type { KnownDeployment } from '../deployments/index.ts'

const json = (schema: object) => ({ 'application/json': { schema } })
const text = { type: 'string' }
const count = { type: 'integer' }
const inputs = { $ref: '#/components/schemas/Inputs' }
const moment = { type: ['string', 'null'], format: 'date-time' }

/** `GET {deployment_url}/openapi.json`: OpenAPI 3.1, typed for this agent. */
export function openApiOf({ name, agent, url, version }: KnownDeployment): object {
	return {
		openapi: '3.1.0',
		info: {
			title: name,
			version: String(version),
			...(agent.description && { description: agent.description }),
		},
		servers: [{ url }],
		security: [{ run_key: [] }],
		paths: pathsOf(agent.name),
		components: {
			securitySchemes: { run_key: { type: 'http', scheme: 'bearer' } },
			schemas: schemasOf(agent),
		},
	}
}

const run = { $ref: '#/components/schemas/Run' }
const problem = {
	description: 'A problem; `code` says which',
	content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}
const answers = (status: string, description: string, schema: object) => ({
	[status]: { description, content: json(schema) },
	default: problem,
})
const byRun = [{ name: 'run', in: 'path', required: true, schema: text }]

function pathsOf(agent: string): object {
	return {
		'/run': {
			post: {
				summary: `Run ${agent}`,
				parameters: [
					{ name: 'Prefer', in: 'header', schema: text, description: '`wait=N` seconds, `respond-async`' },
					{ name: 'Idempotency-Key', in: 'header', schema: text, description: 'One run a key, for 24 hours' },
				],
				requestBody: { required: true, content: json({ $ref: '#/components/schemas/RunRequest' }) },
				responses: {
					...answers('200', 'The run, succeeded', run),
					'202': { description: 'The run, still under way; `Location` leads to it', content: json(run) },
				},
			},
		},
		'/runs': {
			get: {
				summary: 'Runs, newest first',
				responses: answers('200', 'A page of runs', { $ref: '#/components/schemas/RunPage' }),
			},
		},
		'/runs/{run}': {
			get: { summary: 'One run', parameters: byRun, responses: answers('200', 'The run', run) },
		},
		'/runs/{run}/cancel': {
			post: { summary: 'End a run', parameters: byRun, responses: answers('200', 'The run', run) },
		},
		'/runs/{run}/events': {
			get: {
				summary: 'Its events, from `Last-Event-ID` on, until its end',
				parameters: byRun,
				responses: {
					'200': {
						description: 'Server-sent events; the `data` of each is a RunEvent',
						content: { 'text/event-stream': { schema: text } },
					},
					default: problem,
				},
			},
		},
	}
}

const runSchema = {
	type: 'object',
	properties: {
		id: text,
		deployment: text,
		version: count,
		status: { enum: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] },
		inputs,
		output: { anyOf: [{ $ref: '#/components/schemas/Output' }, { type: 'null' }] },
		error: { type: ['object', 'null'], properties: { code: text, message: text } },
		usage: {
			type: 'object',
			properties: {
				input_tokens: count,
				cached_input_tokens: count,
				output_tokens: count,
				model_calls: count,
				tool_calls: count,
				usd: { type: 'number' },
			},
		},
		created_at: moment,
		started_at: moment,
		completed_at: moment,
	},
}

function schemasOf(agent: KnownDeployment['agent']): object {
	return {
		Inputs: agent.inputs,
		Output: agent.output ?? text,
		RunRequest: { type: 'object', properties: { inputs }, required: ['inputs'], additionalProperties: false },
		Run: runSchema,
		RunEvent: {
			type: 'object',
			properties: {
				seq: count,
				run: text,
				type: text,
				at: { type: 'string', format: 'date-time' },
				data: { type: 'object', description: eventData },
			},
		},
		RunPage: {
			type: 'object',
			properties: {
				data: { type: 'array', items: { $ref: '#/components/schemas/Run' } },
				next_cursor: { type: ['string', 'null'] },
			},
		},
		Problem: {
			type: 'object',
			properties: {
				type: text,
				title: text,
				status: count,
				detail: text,
				code: text,
				request_id: text,
				run: { $ref: '#/components/schemas/Run' },
			},
		},
	}
}
