/**
 * The bound of an answer's length. It has three names and each interface reads one of them, so a bound under another
 * name bounds nothing: here every call is brought to the one name its own interface reads.
 */
import { apiOf, isOfficial } from '../../../bundles/index.ts'
import type { ModelRequest } from '../providers/index.ts'
import { EffectRejection } from './failure.ts'

type Parameters = ModelRequest['parameters']
export type Address = Pick<ModelRequest, 'provider' | 'base_url' | 'api'>

const NAMES = ['max_tokens', 'max_output_tokens', 'max_completion_tokens']

/** The agent's parameters with the program's on top of them, and at most one bound among them. */
export function parametersOf(address: Address, own: Parameters = {}, asked: Parameters = {}): Parameters {
	const ownBound = boundIn(own)
	const bound = boundIn(asked) ?? ownBound
	const parameters = { ...own, ...asked }
	for (const name of NAMES) delete parameters[name]
	return bound === undefined ? parameters : { ...parameters, [boundName(address, own)]: bound }
}

/** Of several the smallest. A provider or server may take anything but a count for "no bound". */
function boundIn(parameters: Parameters): number | undefined {
	const bounds = NAMES.filter((name) => name in parameters).map((name) => {
		const value = parameters[name]
		if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
		throw new EffectRejection('agent_error', `model.parameters: ${name} must be a whole number from 1 on`)
	})
	return bounds.length > 0 ? Math.min(...bounds) : undefined
}

/**
 * OpenAI's models that reason take `max_completion_tokens` alone, and all its others take it too. Of compatible servers
 * some know only the older name, some only the newer: which one, the owner says by writing it in agent.yaml.
 */
function boundName(address: Address, own: Parameters): string {
	const api = apiOf(address)
	if (api === 'messages') return 'max_tokens'
	if (api === 'responses') return 'max_output_tokens'
	return isOfficial(address) || 'max_completion_tokens' in own ? 'max_completion_tokens' : 'max_tokens'
}

/** Of a request with `parametersOf`. Undefined: it has none. */
export function maxOutput({ parameters }: ModelRequest): number | undefined {
	return boundIn(parameters)
}

/** The most tokens an answer may have; a smaller bound of the agent's own stays. */
export function withMaxOutput(request: ModelRequest, most: number): ModelRequest {
	const bound = Math.min(most, maxOutput(request) ?? most)
	const { parameters } = request
	return { ...request, parameters: { ...parameters, [boundName(request, parameters)]: bound } }
}
