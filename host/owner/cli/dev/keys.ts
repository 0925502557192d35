/** Keys of models, looked at before anything is started. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChosenModel, modelChains, parseAgent } from '../../../../bundles/index.ts'
import { CommandError, UsageError } from '../failure.ts'
import { fromEnvironment } from '../secrets.ts'
import { keyNameOf, upstreamOf } from './agent.ts'

interface Given {
	folders: string[]
	replay?: string | undefined
	keyVariables: ReadonlyMap<string, string>
}

/** An agent that cannot be read is left to the build, which tells its faults. */
export function requireKeys({ folders, replay, keyVariables }: Given): void {
	const models = folders.flatMap(modelsOf)
	const known = new Set(models.map(keyNameOf))
	const unknown = [...keyVariables.keys()].find((name) => !known.has(name))
	if (models.length > 0 && unknown !== undefined) {
		const others = [...known].filter(Boolean)
		const names = others.length > 0 ? others.join(', ') : 'none with a name: write --provider-key-env VAR'
		throw new UsageError(
			`--provider-key-env ${unknown}=${keyVariables.get(unknown)}: the agent's keys are ${names}`,
		)
	}
	if (replay !== undefined) return
	// A variable that the owner names has a key, also for a server that may need none.
	for (const variable of keyVariables.values()) fromEnvironment(variable)
	for (const chosen of models) {
		const { key, missing } = upstreamOf(chosen.model, process.env, keyVariables.get(keyNameOf(chosen)))
		if (key === undefined) throw new CommandError(missing)
	}
}

function modelsOf(folder: string): ChosenModel[] {
	try {
		const { agent } = parseAgent(readFileSync(join(folder, 'agent.yaml'), 'utf8'))
		return agent ? [...modelChains(agent).values()].flat() : []
	} catch {
		return []
	}
}
