// Tools of others read both documents: a linter has nothing to say, and the client they make of them compiles.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypescript from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy } from '../../kit/agent.ts'
import type { TestHost } from '../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'
import { sharedHost } from '../../kit/shared-host.ts'

const yaml = `description: Answers questions
inputs:
  type: object
  required: [question]
  additionalProperties: false
  $defs: { tone: { enum: [dry, warm] } }
  properties:
    question: { type: string }
    tone: { $ref: '#/$defs/tone' }
output:
  type: object
  required: [answer]
  properties: { answer: { type: string } }
`

let host: TestHost
let models: ModelServer
const documents: Record<string, string> = {}

beforeAll(async () => {
	models = await startModelServer({ m: { text: '{"answer":"42"}' } })
	host = await sharedHost()
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	const agent = await deploy(host, await host.account(), await bundleOf({ model, yaml }))
	documents.host = (await host.call('/openapi.json')).text
	documents.agent = (await host.call(`${agent.url}/openapi.json`, { token: agent.run_key })).text
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

/** Warnings that are answered: no licence is named, and a sign-in only leads on. */
const answered = [
	'info-license #/info: Info object should contain `license` field.',
	'operation-2xx-response #/paths/~1authorize/get/responses: Operation must have at least one `2XX` response.',
]

// Proves: openapi.linted
test.each(['host', 'agent'])('the document of the %s passes the linter’s recommended rules', async (name) => {
	const config = await createConfig({ extends: ['recommended'] })
	const problems = await lintFromString({ source: documents[name] as string, config })
	const said = problems.map(
		({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
	)
	expect(said.filter((line) => !answered.includes(line))).toEqual([])
	const broken = JSON.parse(documents[name] as string)
	delete broken.paths[Object.keys(broken.paths)[0] as string][Object.keys(broken.paths)[0] as string]
	broken.paths['/broken'] = { get: { responses: {} } }
	expect((await lintFromString({ source: JSON.stringify(broken), config })).length).toBeGreaterThan(
		said.length,
	)
})

/** How a program calls an address with nothing but the generated types. */
const helper = `
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never
export type Answer<Op> = Op extends { responses: infer All } ? Json<All[keyof All & (200 | 201)]> : never
export type Sent<Op> = Op extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never
`
const program = `${helper}
import type { operations as Host } from './host.ts'
import type { operations as Agent } from './agent.ts'

export const request: Sent<Agent['run']> = { inputs: { question: 'What is it?', tone: 'dry' } }
export const budgets: Sent<Host['changeDeployment']> = { name: 'new', budgets: { usd_per_month: 5 } }
export function read(run: Answer<Agent['run']>, page: Answer<Host['listDeployments']>): string {
	const next: string | null = page.next_cursor
	const failed: number[] = page.data.map(({ activity }) => activity.failed_24h)
	const used: number = run.usage.input_tokens
	const question: string = run.inputs.question
	return [run.output?.answer ?? run.error?.code, run.id, next, failed, used, question].join()
}
export type Refused = Host['startDeployment']['responses'][409]['content']['application/problem+json']['code']
export const code: Refused = 'credentials_missing'
`
/** Each a use that the documents forbid. */
const wrong: [string, string][] = [
	['an input that is missing', "export const request: Sent<Agent['run']> = { inputs: { tone: 'dry' } }"],
	[
		'an input that is not one of its values',
		"export const request: Sent<Agent['run']> = { inputs: { question: 'x', tone: 'loud' } }",
	],
	['a member of a run that there is not', "export const f = (run: Answer<Agent['run']>) => run.cost"],
	['a member of another type', "export const f = (run: Answer<Agent['run']>): string => run.usage.usd"],
	[
		'a code that the operation does not answer',
		"export const code: Host['startDeployment']['responses'][409]['content']['application/problem+json']['code'] = 'name_taken'",
	],
]

// Proves: openapi.client-compiles
test('a TypeScript client made of both documents compiles, and each wrong use of it does not', async () => {
	const folder = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.client-'))
	try {
		for (const [name, text] of Object.entries(documents))
			writeFileSync(join(folder, `${name}.ts`), await openapiTypescript(JSON.parse(text)))
		const imports = program.slice(0, program.indexOf('export const request'))
		writeFileSync(join(folder, 'right.ts'), program)
		for (const [at, [, use]] of wrong.entries())
			writeFileSync(join(folder, `wrong${at}.ts`), `${imports}${use}\n`)
		const config = {
			compilerOptions: {
				strict: true,
				noEmit: true,
				module: 'nodenext',
				allowImportingTsExtensions: true,
				types: [],
			},
			include: ['*.ts'],
		}
		writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
		const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
		const { stdout } = spawnSync(tsc, ['--project', folder, '--pretty', 'false'], {
			encoding: 'utf8',
			cwd: folder,
		})
		const files = [...stdout.matchAll(/^([\w.]+)\(\d+,\d+\): error/gm)].map(([, file]) => file)
		expect([...new Set(files)].sort(), stdout).toEqual(wrong.map((_, at) => `wrong${at}.ts`))
	} finally {
		rmSync(folder, { recursive: true, force: true })
	}
})
