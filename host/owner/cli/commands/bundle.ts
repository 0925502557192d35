import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type BuiltBundle, buildBundle } from '../../../../bundles/index.ts'
import { command, does } from '../command.ts'
import { examiner } from '../examine/index.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'

export function bundleCommand(program: Command): void {
	command(program, 'bundle [dir]', "build an agent's bundle from its last commit")
		.option('-o, --output <file>', 'where to write it (default: <name>.agent here)')
		.option(...withoutTypes)
		.action(
			does<{ output?: string; types: boolean }>(async (io, { output, types }, dir = '.') => {
				const built = await buildBundle(dir, examiner(io, { directory: dir, types }))
				const file = resolve(output ?? built.fileName)
				try {
					writeFileSync(file, built.bytes)
				} catch (error) {
					throw new CommandError(
						`--output ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`,
					)
				}
				tellLeftOut(io, built)
				const { digest, bytes, manifest, leftOut, unused, tools } = built
				io.result(
					{ file, digest, bytes: bytes.length, commit: manifest.commit, left_out: leftOut, unused, tools },
					`${file}\n  digest  ${digest}\n  commit  ${manifest.commit}\n  size    ${bytes.length} bytes, ${manifest.files.length} files${toolLine(tools)}`,
				)
			}),
		)
}

export const withoutTypes = ['--no-types', 'do not check the types of its programs'] as const

const toolLine = (tools: BuiltBundle['tools']) =>
	tools.length === 0 ? '' : `\n  tools   ${tools.map(({ name }) => name).join(', ')}`

/** The bundle is the commit (spec bundle.left-out-named): who has edited since must know. */
export function tellLeftOut(io: Io, { leftOut, unused, manifest }: BuiltBundle): void {
	if (leftOut.length > 0) {
		io.note(`Built from commit ${manifest.commit.slice(0, 7)}; left out because not committed:`)
		for (const { path, change } of leftOut) io.note(`  ${change.padEnd(8)} ${path}`)
	}
	for (const path of unused) io.note(`Not part of an agent, left out: ${path}`)
}
