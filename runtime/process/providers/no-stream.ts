/** What is told of a provider that answers 200, and not with a stream of a model answer (spec provider.no-stream). */
import { bodyFailure } from './failure.ts'
import { ProviderError } from './types.ts'

const TYPE_MAX_CHARS = 100
/** What whole answers of the three interfaces say that they are. */
const WHOLE = /"(?:object|type)"\s*:\s*"(?:chat\.completion|response|message)"/

/** Asked again, such a server would say the same, and might charge for it. `body`: as much of it as was read. */
export function noStream(type: string, body: string): ProviderError {
	const said = bodyFailure(body)
	if (said) return said
	const what =
		type.endsWith('json') && WHOLE.test(body)
			? 'with a whole answer in JSON, where an event stream was asked for (stream: true); use a server that streams'
			: `with ${type ? `content of type ${type.slice(0, TYPE_MAX_CHARS)}` : 'content of no type'}, which is no event stream; check base_url and api in agent.yaml`
	return new ProviderError('provider_unavailable', `the provider answered ${what}`)
}
