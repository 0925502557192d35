// The command line as the pages show it: every command and flag exists, and the owner's page has every command.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, type Option } from 'commander'
import { beforeAll, expect, test } from 'vitest'
import { pages, readPage } from '../../.tools/pages.ts'
import { manifest, root, sourceFiles } from './files.ts'
import { type Page, parsePage } from './markdown.ts'

const program = new Command('berth')
const all: Page[] = pages.map((path) => parsePage(path, readPage(path)))
/** Of every command, and of the program itself. */
const everywhere = ['--help', '--version', '--json', '--verbose']
/** Of programs that are not ours. */
const foreign = ['--security-opt']

beforeAll(async () => {
	for (const path of sourceFiles.filter((path) => /\/cli\/commands\/[^/]+$/.test(path))) {
		const exports = (await import(join(root, path))) as Record<string, unknown>
		for (const [name, add] of Object.entries(exports)) {
			// A part of another command is added there.
			if (name.endsWith('Command') && !path.includes('commands/admin-'))
				(add as (program: Command) => void)(program)
		}
	}
})

const flagsOf = (command: Command) => command.options.flatMap(({ long, short }: Option) => [long, short])
const tree = (command: Command): Command[] => [
	command,
	...command.commands.flatMap((one) => tree(one as Command)),
]

/** Command lines in a page: what follows `berth`. */
const lines = ({ codes, fenced }: Page) =>
	[...codes.filter((code) => /^(npm run )?berth\b/.test(code)), ...fenced]
		.flatMap((line) => line.match(/(?:npm run berth -- |^berth )(.*)/)?.[1] ?? [])
		.map((line) => line.replace(/#.*$/, '').trim().split(/\s+/))

/** The first word that is no command, or the first flag that its command has not; null: all is well. */
function faultOf(words: string[]): string | null {
	let command = program
	for (const word of words) {
		const inner = command.commands.find((one) => one.name() === word) as Command | undefined
		if (inner) command = inner
		else if (command.commands.length > 0 && /^[a-z]/.test(word)) return word
		else if (/^-{1,2}[a-z]/.test(word) && ![...everywhere, ...flagsOf(command)].includes(word)) return word
	}
	return null
}

// Proves: cli.help
test('every command has a help that says what it does and takes', () => {
	const commands = tree(program).slice(1)
	expect(commands.length).toBeGreaterThan(40)
	for (const command of commands) {
		const help = command.helpInformation()
		expect(help).toContain(`Usage: ${pathOf(command)}`)
		expect([pathOf(command), command.description()]).toEqual([pathOf(command), expect.stringMatching(/\S/)])
		for (const flag of flagsOf(command)) if (flag) expect(help).toContain(flag)
	}
})

test('commands and flags in the pages exist', () => {
	expect(all.flatMap(lines).length).toBeGreaterThan(50)
	const wrong = all.flatMap((page) =>
		lines(page).flatMap((words) => {
			const fault = faultOf(words)
			return fault === null ? [] : [`${page.path}: ${fault} in berth ${words.join(' ')}`]
		}),
	)
	expect(wrong).toEqual([])
})

test('flags that stand alone in a page exist', () => {
	const scripts = Object.values(manifest.scripts)
		.flatMap((script) => script.match(/[\w./-]+\.(ts|mjs)\b/g) ?? [])
		.filter((file) => existsSync(join(root, file)))
		.map((file) => readFileSync(join(root, file), 'utf8'))
		.join('\n')
	const known = new Set([...everywhere, ...foreign, ...tree(program).flatMap(flagsOf)])
	const named = (flag: string) =>
		new RegExp(`${flag}\\b|\\b${flag.replace(/^--(no-)?/, '')}'?: \\{ type:`).test(scripts)
	const wrong = all.flatMap(({ path, codes }) =>
		codes
			.flatMap((code) => /^--[a-z-]+/.exec(code)?.[0] ?? [])
			.filter((flag) => !known.has(flag) && !named(flag))
			.map((flag) => `${path}: ${flag}`),
	)
	expect(wrong).toEqual([])
})

test('the owner’s page has every command with its actions and flags', () => {
	const [owner, operator] = ['host/owner/README.md', 'host/OPERATING.md'].map((path) =>
		parsePage(path, readPage(path)),
	)
	const text = `${owner?.text}${operator?.text}`
	const words = new Set(
		[...(owner?.codes ?? []), ...(operator?.codes ?? [])].flatMap((code) => code.split(' ')),
	)
	const missing = tree(program).flatMap((command) => {
		const name = pathOf(command)
		const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
		const flags = command.options
			.flatMap(({ long }) => long ?? [])
			.filter((flag) => !everywhere.includes(flag))
		return [
			...(text.includes(name) || words.has(command.name()) ? [] : [name]),
			...choices.filter((word) => !words.has(word)).map((word) => `${name} ${word}`),
			...flags.filter((flag) => !text.includes(flag)).map((flag) => `${name} ${flag}`),
		]
	})
	expect(missing).toEqual([])
})

const pathOf = (command: Command): string =>
	command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
