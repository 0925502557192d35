import { refusedParameters } from '../../../bundles/index.ts'
import { ProviderError } from './types.ts'
import type { Wire } from './wire.ts'

export function checkParameters({ api }: Pick<Wire, 'api'>, parameters: Record<string, unknown>): void {
	const refused = refusedParameters(api, parameters)
	if (refused.length > 0) {
		throw new ProviderError('agent_error', `model.parameters may not set ${refused.join(', ')}`)
	}
}
