// The picture of the README: boxes are processes, arrows what crosses between them. The processes are what the build
// makes, the messages are the members of the interfaces in runtime/wire.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const wire = join(root, 'runtime/wire')
const sources = readdirSync(wire).map((file) => readFileSync(join(wire, file), 'utf8'))

/** Subjects of an interface's messages: `run` for `run.begin` and `run.cancel`. */
function subjects(...interfaces: string[]): string {
	const found = interfaces.flatMap((name) => {
		const pattern = new RegExp(`^export interface ${name} (?:extends .* )?\\{\\n([\\s\\S]*?)\\n\\}`, 'm')
		const body = sources.flatMap((text) => pattern.exec(text)?.[1] ?? [])
		if (body.length !== 1) throw new Error(`runtime/wire has ${body.length} interfaces ${name}`)
		return [...`${body[0]}`.matchAll(/^\t'?([a-z_]+)(?:\.[a-z_.]+)?'?: /gm)].map(
			([, subject = '']) => subject,
		)
	})
	return [...new Set(found)]
		.map((subject) => subject.replaceAll('_', ' '))
		.sort()
		.join(', ')
}

/** First words of the frames that a union of tuples allows. */
function frames(name: string): string {
	const union = sources.flatMap(
		(text) => new RegExp(`^export type ${name} =\\n([\\s\\S]*?)\\n\\n`, 'm').exec(text)?.[1] ?? [],
	)
	if (union.length !== 1) throw new Error(`runtime/wire has ${union.length} types ${name}`)
	return [...`${union[0]}`.matchAll(/\[\s*'(\w+)'/g)].map(([, word]) => word).join(', ')
}

/** A process by its name and main file. */
function box(name: string, main: string, does: string): string {
	if (!existsSync(join(root, main))) throw new Error(`${main}, the main file of ${name}, does not exist`)
	return `\t${name}["<b>${name}</b><br>${main}<br>${does}"]`
}

export function picture(): string {
	const arrow = (from: string, to: string, what: string) => `\t${from} -->|"${what}"| ${to}`
	return [
		'```mermaid',
		'flowchart TB',
		'\towner(["owner: berth"])',
		'\tcaller(["your program"])',
		'\tclient(["MCP client"])',
		box('host', 'host/start/main.ts', 'HTTP, SQL, webhooks, schedules, guard'),
		box('runtime', 'runtime/process/start/main.ts', 'keys, models, tools, limits'),
		box('sandbox', 'runtime/sandbox/main.ts', 'one per busy deployment with code; no key, network, files'),
		'\tpostgres[("Postgres")]',
		'\tmodels(["models, connectors"])',
		arrow('owner', 'host', 'bundle, sealed credentials'),
		arrow('caller', 'host', 'inputs; back: output, events'),
		arrow('client', 'host', 'guard calls'),
		arrow('host', 'postgres', 'runs, journal, ciphertext'),
		arrow('host', 'caller', 'webhooks'),
		arrow('host', 'runtime', subjects('RuntimeCalls', 'ReplayCalls', 'RuntimeNotes')),
		arrow('runtime', 'host', subjects('HostCalls', 'BudgetCalls', 'ConnectorHostCalls', 'HostNotes')),
		arrow('runtime', 'sandbox', frames('ToChild')),
		arrow('sandbox', 'runtime', subjects('Effects')),
		arrow('runtime', 'models', 'opened credential, requests'),
		'```',
	].join('\n')
}
