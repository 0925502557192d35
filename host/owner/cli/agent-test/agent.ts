import {
	type Agent,
	BundleError,
	buildFrom,
	canonicalJson,
	compileSchema,
	completer,
	readWorkingTree,
} from '../../../../bundles/index.ts'

/** An agent's working tree, built. */
export interface BuiltAgent {
	agent: Agent
	digest: string
	bytes: Uint8Array
	/** Files of its `memory/` folder. */
	memory: Record<string, string>
	/** Canonical JSON with the defaults filled in; throws with every fault, as a host would refuse them. */
	inputs(given: unknown): Promise<string>
}

const built = new Map<string, Promise<BuiltAgent>>()

/** Once a process: tests do not change the agent while they run. */
export function builtAgent(folder: string): Promise<BuiltAgent> {
	const agent = built.get(folder) ?? build(folder)
	built.set(folder, agent)
	return agent
}

async function build(folder: string): Promise<BuiltAgent> {
	const tree = await readWorkingTree(folder)
	const { manifest, digest, bytes } = await buildFrom(tree).catch((error: unknown) => {
		throw error instanceof BundleError
			? new Error(`the agent in ${folder} cannot be built:\n${error.lines.join('\n')}`)
			: error
	})
	const memory = [...tree.files]
		.filter(([path]) => path.startsWith('memory/'))
		.map(([path, content]) => [path.slice('memory/'.length), Buffer.from(content).toString('utf8')])
	const { agent } = manifest
	const validate = compileSchema(agent.inputs)
	const complete = completer(agent.inputs)
	return {
		agent,
		digest,
		bytes,
		memory: Object.fromEntries(memory),
		async inputs(given) {
			const completed = complete?.(given) ?? { value: given }
			if ('fault' in completed) throw new TypeError(`the inputs cannot be completed: ${completed.fault}`)
			const faults = await validate(completed.value, { queue: digest })
			if (faults.length > 0)
				throw new TypeError(
					`the inputs do not fit agent.yaml: ${faults.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')}`,
				)
			return canonicalJson(completed.value)
		},
	}
}
