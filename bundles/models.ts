/** All models of an agent: `model` with what it falls back to, and those of `models` by name. Each has its key. */
import type { Model, Models } from './model.ts'
import { providerOrigin } from './provider-address.ts'

type Named = NonNullable<Models>[string]
export type OwnModel = Exclude<Named, { provider: 'platform' }>

export interface ChosenModel {
	model: OwnModel
	/** Name of its credential. */
	credential: string
	/** Where it stands in `agent.yaml`. */
	path: PropertyKey[]
}

/** The name of `model`'s own. */
export const PROVIDER = 'provider'
const KEYS = `${PROVIDER}:`

/** By name, and under `undefined` those of `model`: each in the order in which they are asked. */
export function modelChains({
	model,
	models = {},
}: {
	model: Model
	models?: Models
}): Map<string | undefined, ChosenModel[]> {
	const chain = (given: Named, path: PropertyKey[]) =>
		[given, ...(given.fallbacks ?? [])].flatMap((one, i): ChosenModel[] => {
			if (one.provider === 'platform') return []
			const at = i === 0 ? path : [...path, 'fallbacks', i - 1]
			return [{ model: one, credential: credentialOf(model, one), path: at }]
		})
	const named = Object.entries(models).map(([name, one]) => [name, chain(one, ['models', name])] as const)
	return new Map<string | undefined, ChosenModel[]>([[undefined, chain(model, ['model'])], ...named])
}

/** Each key once, with the first model that it is for. */
export function modelKeys(agent: { model: Model; models?: Models }): ChosenModel[] {
	const found = new Map<string, ChosenModel>()
	for (const one of [...modelChains(agent).values()].flat())
		if (!found.has(one.credential)) found.set(one.credential, one)
	return [...found.values()]
}

/** A model of the platform's own provider stands somewhere among them. */
export function asksPlatform({ model, models = {} }: { model: Model; models?: Models }): boolean {
	return [model, ...Object.values(models)]
		.flatMap((one) => [one, ...(one.fallbacks ?? [])])
		.some(({ provider }) => provider === 'platform')
}

/** `second` of `provider:second`. */
export const keyName = (credential: string): string =>
	credential.startsWith(KEYS) ? credential.slice(KEYS.length) : credential

export const isModelKey = (credential: string): boolean =>
	credential === PROVIDER || credential.startsWith(KEYS)

function credentialOf(main: Model, one: OwnModel): string {
	if (one.key !== undefined) return KEYS + one.key
	if (main.provider !== 'platform' && providerOrigin(main) === providerOrigin(one)) return PROVIDER
	const origin = providerOrigin(one)
	if (origin === providerOrigin({ provider: one.provider })) return KEYS + one.provider
	const host = new URL(origin).host.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
	return KEYS + host.slice(0, 63)
}
