// Figures and names that a page repeats from the code.
import { expect, test } from 'vitest'
import { readPage } from '../../.tools/pages.ts'
import { defaultLimits } from '../../bundles/agent.ts'
import { messages } from '../../connector/guard/messages.ts'
import { sourceFiles, textOf } from './files.ts'
import { parsePage } from './markdown.ts'

const files = sourceFiles.map((path) => ({ path, text: textOf(path) }))

/** The number of that name, wherever it stands; `file`: part of the file's name, where several files have one. */
function figure(name: string, file = ''): number {
	const pattern = new RegExp(`^(?:export )?const ${name} = ([\\d_ *.]+)$`, 'm')
	const found = files.filter(({ path }) => path.toLowerCase().replaceAll('-', '').includes(file))
	const values = found.flatMap(({ text }) => {
		const [, product] = pattern.exec(text) ?? []
		return product === undefined ? [] : [product.split('*').reduce(times, 1)]
	})
	if (new Set(values).size !== 1) throw new Error(`${name} stands for ${values.join(', ') || 'nothing'}`)
	return values[0] as number
}

const times = (product: number, factor: string) => product * Number(factor.replaceAll('_', ''))
const count = (name: string) => figure(name).toLocaleString('en-US')
const seconds = (name: string, file?: string) => figure(name, file) / 1000
const kib = (name: string) => figure(name) / 1024
const mib = (name: string) => kib(name) / 1024

/** The last wait before the host gives its runtime up. */
const longestRestart = () => figure('BACKOFF_FIRST_MS') * 2 ** (figure('FAILURES_MAX') - 1)

const said: Record<string, string[]> = {
	'bundles/README.md': [
		`${mib('PACKED_MAX_BYTES')} MiB packed, ${mib('UNPACKED_MAX_BYTES')} MiB and ${count('FILES_MAX')} files`,
		`${kib('AGENT_MAX_BYTES')} KiB and ${count('LEXEMES_MAX')} names`,
		`${mib('SKILL_MAX_BYTES')} MiB, front matter ${kib('HEAD_MAX_BYTES')} KiB`,
		`${mib('MANIFEST_MAX_BYTES')} MiB and ${count('NODES_MAX')} values`,
		`| ${figure('TOOLS_MAX')}, with`,
		`first ${figure('FAULTS_MAX', 'bundles/fault')} faults`,
		`0 to 3600, default ${figure('RETRY_SECONDS')}`,
		`for ${figure('VALIDATION_MAX_MS')} ms of CPU time at most`,
		`over ${figure('LOAD_CPU_MS')} ms of CPU`,
		`Loading programs takes ${seconds('CHECK_MS')} seconds`,
		`also at ${figure('TOOL_CALLS_A_STEP')} tool calls per allowed step`,
		`${mib('fileMaxBytes')} MiB per file, ${mib('allMaxBytes')} MiB and ${count('filesMax')} files`,
		`| \`http_calls\` | ${figure('HTTP_CALLS')} |`,
		`over ${mib('HTTP_MAX_CHARS')} MiB of responses together`,
		`a whole response: ${figure('HTTP_SECONDS')} by default`,
		`a response: ${figure('HTTP_RESPONSE_KB')} KiB by default`,
		...Object.entries(defaultLimits).map(
			([name, value]) => `| \`${name}\` | ${value.toLocaleString('en-US')} |`,
		),
	],
	'host/README.md': [
		`nesting of inputs ${figure('NESTING_MAX')}`,
		`| ${figure('endpointsMax')}, ${figure('keysMax')}, ${figure('schedulesMax')} |`,
		`personal access tokens per account | ${figure('tokensMax')}`,
		`\`Prefer: wait\` | ${figure('waitMaxSeconds')} s`,
		`sends ${figure('atOnce', 'sender')} attempts`,
		`${figure('perEndpoint')} of them to one endpoint`,
		`An output of over ${kib('webhookOutputMaxBytes')} KiB`,
		`comment every ${seconds('keepAliveMs', 'stream')} seconds`,
		`counted to ${count('countMax')}`,
		`up to ${count('MAX_WAITING')} more wait`,
	],
	'host/owner/README.md': [
		`(default ${figure('waitDefaultSeconds')}, at most ${figure('waitMaxSeconds')})`,
		`${figure('schedulesMax')} schedules at most`,
		`${figure('keysMax')} live keys at most`,
		`${figure('REQUESTS_MAX')} approvals a run, ${kib('ARGUMENTS_MAX_CHARS')} Ki characters of arguments, ${count('QUESTION_MAX_CHARS')} of a question`,
		`for ${figure('keptDays')} days`,
	],
	'host/OPERATING.md': [
		`headers within ${seconds('headersMs')}`,
		`arrive within ${seconds('requestMs')} seconds`,
		`keys 24 hours, and the newest ${figure('keptVersions')} memory versions`,
		`Refused calls are kept ${figure('keptDays')} days, idempotency keys ${figure('keptHours')} hours`,
		`prices ${seconds('pollMs', 'prices')} seconds`,
	],
	'runtime/README.md': [
		`| ${figure('MODEL_CALLS_AT_ONCE')} |`,
		`| ${figure('TOOL_CALLS_AT_ONCE')} |`,
		`| ${count('EFFECTS_MAX')} |`,
		`after ${figure('attemptsMax', 'takeover')} executions`,
		`after ${seconds('BACKOFF_FIRST_MS', 'supervisor/start')} s,`,
		`up to ${longestRestart() / 1000} s`,
	],
	'runtime/sandbox/README.md': [
		`looks every ${figure('LOOK_MS', 'watch')} ms`,
		`when a turn has used ${figure('COMPUTES_MS')} ms of CPU`,
		`+ ${figure('MEMORY_GRACE_MB')} MiB`,
		`| ${figure('MAX_PROCESSES')}; the one`,
		`${count('MAX_OUTSTANDING')} waiting at once`,
		`Another ${count('MAX_WAITING')} wait in order`,
	],
	'connector/README.md': [
		`${figure('minuteCalls')} admitted calls`,
		`${count('dayCalls')} in any 24 h`,
		`A call takes ${seconds('judgeMs')} s at most`,
		`for ${figure('repeatSeconds')} s and gets the same answer`,
	],
}

test.each(Object.entries(said))('%s has the figures of the code', (path, texts) => {
	const page = readPage(path)
	expect(texts.filter((text) => !page.includes(text))).toEqual([])
})

test('every event stands in the API reference', () => {
	const [, types = ''] =
		/export type EventType =((?:\n\t\| .*)+)/.exec(files.map(({ text }) => text).join('\n')) ?? []
	const shown = (types.match(/[a-z]+\.[a-z]+|'log'/g) ?? []).filter((type) => !type.startsWith('effect.'))
	expect(shown.length).toBeGreaterThan(10)
	const { codes } = parsePage('', readPage('host/README.md'))
	expect(shown.filter((type) => !codes.includes(type.replaceAll("'", '')))).toEqual([])
})

test('every message of the guard stands on its page', () => {
	const { codes } = parsePage('', readPage('connector/README.md'))
	expect(Object.values(messages).filter((text) => !codes.includes(text))).toEqual([])
})

test('the rows of the judge are counted on their page', () => {
	const cells = (tool: string, split: string) => {
		const lines = textOf(`connector/judge/lab/scenes/${tool}/${split}.jsonl`).trimEnd().split('\n')
		const authors = new Set(lines.map((line) => (JSON.parse(line) as { source: string }).source))
		return `${lines.length.toLocaleString('en-US')} | ${authors.size}`
	}
	const tools = ['verify', 'screen', 'find', 'noul', 'choice', 'score']
	const rows = tools.map((tool) => `| \`${tool}\` | ${cells(tool, 'taught')} | ${cells(tool, 'kept')} |`)
	const page = readPage('connector/judge/lab/README.md')
	expect(rows.filter((row) => !page.includes(row))).toEqual([])
})
