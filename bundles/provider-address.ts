const OPENAI = 'https://api.openai.com/v1'
const ANTHROPIC = 'https://api.anthropic.com'

/** Of a model, as `agent.yaml` names it. */
interface Address {
	provider: 'openai' | 'anthropic'
	base_url?: string
	api?: 'responses' | 'chat'
}

/** As the SDKs take it: OpenAI's base address ends before `/responses`, Anthropic's before `/v1/messages`. */
export function baseUrl({ provider, base_url }: Address): string {
	if (provider === 'openai') return base_url?.replace(/\/+$/, '') ?? OPENAI
	return base_url?.replace(/(\/v1)?\/*$/, '') ?? ANTHROPIC
}

/** Compatible servers all speak `chat`; few speak `responses`. */
export function apiOf({ provider, base_url, api }: Address): 'messages' | 'responses' | 'chat' {
	if (provider === 'anthropic') return 'messages'
	return api ?? (base_url === undefined ? 'responses' : 'chat')
}

/** Origin the provider's key may be sent to: `aud` of the credential. */
export function providerOrigin(address: Address): string {
	return new URL(baseUrl(address)).origin
}

/** The provider itself and not a server compatible with it: newer members of the interface are understood there. */
export function isOfficial(address: Address): boolean {
	return baseUrl(address) === (address.provider === 'openai' ? OPENAI : ANTHROPIC)
}
