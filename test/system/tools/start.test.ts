import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

// What a process loads before it does anything is most of its start, so it is counted. What is needed later is loaded
// with its first use.

const dist = resolve('dist')
const BYTES_PER_MB = 1_000_000

/** All that a program imports statically, with what imports bring: bytes of code, and the sources that they are made of. */
function loaded(program: string) {
	const files = new Set<string>()
	const visit = (file: string) => {
		if (files.has(file)) return
		files.add(file)
		for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:\} from|import) "(\.[^"]+)";$/gm))
			visit(join(dirname(file), path))
	}
	visit(join(dist, program))
	const texts = Array.from(files, (file) => readFileSync(file, 'utf8'))
	const maps = Array.from(files, (file) => JSON.parse(readFileSync(`${file}.map`, 'utf8')))
	return {
		megabytes: texts.reduce((sum, text) => sum + text.length, 0) / BYTES_PER_MB,
		sources: maps.flatMap(({ sources }: { sources: string[] }) => sources),
	}
}

test.for([
	['host.mjs', 806, 3.5],
	['runtime.mjs', 416, 2.2],
	['sandbox.mjs', 10, 0.05],
	['cli.mjs', 110, 0.75],
] as const)('%s loads at most %i sources of %f MB at its start', ([program, sources, megabytes]) => {
	const { sources: found, megabytes: size } = loaded(program)
	expect(found.length).toBeLessThanOrEqual(sources)
	expect(size).toBeLessThanOrEqual(megabytes)
})

test.for([
	['oidc-provider', 'node_modules/oidc-provider/'],
	['the OpenID client', 'node_modules/openid-client/'],
	['the MCP server', 'node_modules/@modelcontextprotocol/'],
	['the judge', 'connector/judge/builtin/'],
	['the tokenizer', 'node_modules/gpt-tokenizer/'],
	["Fastify's own compilers", 'node_modules/@fastify/ajv-compiler/'],
	['git', 'node_modules/isomorphic-git/'],
	["undici's fetch", 'node_modules/undici/lib/web/fetch/index.js'],
	["zod's other languages", 'node_modules/zod/v4/locales/fr.js'],
])('%s is not loaded at a start', ([, path]) => {
	for (const program of ['host.mjs', 'runtime.mjs', 'cli.mjs'])
		expect(loaded(program).sources.filter((source) => source.includes(path as string))).toEqual([])
})
