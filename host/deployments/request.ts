import type { ReadyRequest } from '../api/deployments.ts'
import { sampleObject } from '../api/sample.ts'

/**
 * The request to paste (spec deployment.start-request): this deployment's address, its input names filled in. `key`
 * null: a placeholder.
 */
export function readyRequest(url: string, inputs: Record<string, unknown>, key: string | null): ReadyRequest {
	const headers = { Authorization: `Bearer ${key ?? '<run_key>'}`, 'Content-Type': 'application/json' }
	const body = { inputs: sampleObject(inputs) }
	const lines = [
		`curl -X POST ${quoted(`${url}/run`)}`,
		...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
		`-d ${quoted(JSON.stringify(body))}`,
	]
	return { method: 'POST', url: `${url}/run`, headers, body, curl: lines.join(' \\\n  ') }
}

/** For a POSIX shell. */
function quoted(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`
}
