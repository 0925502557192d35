import type { ReadyRequest } from '../api/deployments.ts'
import { formPart, sampleForm } from '../api/sample.ts'

/**
 * The request to paste (spec deployment.start-request): this deployment's address, its input names filled in. `key`
 * null: a placeholder.
 */
export function readyRequest(url: string, schema: Record<string, unknown>, key: string | null): ReadyRequest {
	const { inputs, files } = sampleForm(schema)
	const headers = {
		Authorization: `Bearer ${key ?? '<run_key>'}`,
		// Of a form, its client says the boundary, too.
		...(files.length === 0 && { 'Content-Type': 'application/json' }),
	}
	const parts =
		files.length === 0
			? [`-d ${quoted(JSON.stringify({ inputs }))}`]
			: [
					`-F ${quoted(`inputs=${JSON.stringify(inputs)}`)}`,
					...files.map((file) => `-F ${quoted(formPart(file))}`),
				]
	const lines = [
		`curl -X POST ${quoted(`${url}/run`)}`,
		...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
		...parts,
	]
	const names = files.map(({ name }) => name)
	return {
		method: 'POST',
		url: `${url}/run`,
		headers,
		body: { inputs },
		files: names,
		curl: lines.join(' \\\n  '),
	}
}

/** For a POSIX shell. */
function quoted(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`
}
