import type { Command } from 'commander'
import { built, distDir } from '../built.ts'
import { command, does } from '../command.ts'
import { CommandError } from '../failure.ts'
import { table } from '../io.ts'
import { largeJudgeHint } from '../local-models.ts'

/** As `doctor.mjs` and `settings.mjs`, built beside this program, give them. */
interface Examination {
	launcher: string
	refused: string[]
	findings: { layer: string; holds: boolean; what: string; remedy: string }[]
}
interface Doctor {
	examineMachine(options: { distDir: string; dataDir: string }): Promise<Examination>
}
interface Settings {
	readConfig(env: NodeJS.ProcessEnv): { DATA_DIR: string; SANDBOX_REQUIRE: string[] }
}

export function doctorCommand(program: Command): void {
	command(program, 'doctor', 'which layers hold around a sandbox on this machine; tries each of them').action(
		does(async (io) => {
			const { readConfig } = await built<Settings>('settings.mjs')
			const { examineMachine } = await built<Doctor>('doctor.mjs')
			const { DATA_DIR: dataDir, SANDBOX_REQUIRE: wanted } = settingsOf(readConfig)
			const { launcher, refused, findings } = await examineMachine({ distDir, dataDir })
			const rows = findings.map((one) => ({ ...one, required: wanted.includes(one.layer) }))
			const missing = rows.filter(({ holds }) => !holds)
			const ok = !missing.some(({ required }) => required)
			io.result(
				{ ok, launcher, refused, layers: rows },
				[
					`Sandboxes are started by: ${launcher}`,
					...refused.map((why) => `  not by ${why}`),
					'',
					table([
						['LAYER', 'HOLDS', 'REQUIRED', ''],
						...rows.map(({ layer, holds, required, what }) => [
							layer,
							holds ? 'yes' : 'NO',
							required ? 'yes' : '–',
							what,
						]),
					]),
					...missing.map(({ layer, remedy }) => `\n${layer}: ${remedy}`),
				].join('\n'),
			)
			const hint = io.json ? null : await largeJudgeHint(process.env)
			if (hint) io.note(`\n${hint}`)
			if (!ok) process.exitCode = 1
		}),
	)
}

function settingsOf(readConfig: Settings['readConfig']): ReturnType<Settings['readConfig']> {
	try {
		return readConfig(process.env)
	} catch (error) {
		throw new CommandError((error as Error).message)
	}
}
