import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Entry } from '../../../runtime/wire/journal.ts'
import { expiresAt } from './expiry.ts'
import { noUsage, type RunRecord } from './types.ts'

// Runs and events as text. Written by hand because every run pays for it: inputs, output and usage are JSON already.

const zeroUsage = JSON.stringify(noUsage)

export function runJson(run: RunRecord): string {
	return `{${head(run)},"inputs":${run.inputs},"output":${run.output ?? 'null'},"citations":${run.citations ?? '[]'},${tail(run)}}`
}

const head = (run: RunRecord) =>
	`"id":"${run.id}","deployment":"${run.deployment}","version":${run.version},"status":"${run.status}"`

const tail = (run: RunRecord) =>
	`"error":${run.error ? JSON.stringify(run.error) : 'null'},"usage":${run.usage ?? zeroUsage},` +
	`"created_at":${time(run.created_at)},"started_at":${time(run.started_at)},"completed_at":${time(run.completed_at)},` +
	`"expires_at":${time(expiresAt(run))}`

const time = (ms: number | null) => (ms === null ? 'null' : `"${new Date(ms).toISOString()}"`)

/** A webhook's output goes along up to this size; `data.url` leads to the rest (spec webhook.output-limit). */
const webhookOutputMaxBytes = 16 * 1024

/** Body of a webhook: the run without its inputs. */
export function webhookJson(run: RunRecord, type: string, url: string): string {
	const { output, citations } = run
	const isSmall = (text: string | null) => text === null || Buffer.byteLength(text) <= webhookOutputMaxBytes
	const answer = isSmall(output) ? `"output":${output ?? 'null'}` : '"output":null,"output_omitted":true'
	const sources = isSmall(citations)
		? `"citations":${citations ?? '[]'}`
		: '"citations":[],"citations_omitted":true'
	const shown = `${answer},${sources}`
	return (
		`{"type":"${type}","timestamp":${time(run.completed_at ?? sharedNow())},` +
		`"data":{${head(run)},${shown},${tail(run)},"url":${JSON.stringify(`${url}/runs/${run.id}`)}}}`
	)
}

/** The journal's own entries, which replay needs and nobody else. */
export const isShown = (entry: Entry) => !entry.type.startsWith('effect.')

/** `owner`: who reads it may see the program's stack traces. */
export function eventJson(run: string, { seq, type, at, data }: Entry, owner: boolean): string {
	const shown = owner || !('stack' in data) ? data : { ...data, stack: undefined }
	return `{"seq":${seq},"run":"${run}","type":"${type}","at":${time(at)},"data":${JSON.stringify(shown)}}`
}
