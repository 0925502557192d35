/** Bundles as the engine uses them: read and checked once a digest, the least recently used forgotten first. */
import {
	type Agent,
	type Bundle,
	type BundleError,
	type ChosenModel,
	canonicalUrl,
	checkSchema,
	compileSchema,
	connectorKey,
	connectorSlug,
	type GuestBundle,
	guestBundle,
	modelChains,
	modelKeys,
	readBundle,
	toolKey,
	type Validate,
} from '../../../bundles/index.ts'
import { untilDone } from '../../lib/retry.ts'
import type { RunCeilings } from '../../wire/init.ts'
import { type HttpOrigins, httpOriginsOf } from '../http/index.ts'
import { type DeclaredTools, declaredTools } from './declared-tools.ts'
import { EffectRejection, RunFailure } from './failure.ts'
import type { HostLink } from './recorder.ts'
import { type Stacks, stacksOf } from './stack.ts'

const MAX_BUNDLES = 200
/** Of text that guests are given, all bundles together: one alone may have 50 MiB. */
const MAX_CHARS = 64 * 1024 * 1024
const ANSWER_MS = 30_000
/** Of what a bundle's programs say. One that says it anew in every run gains nothing, and must not fill the memory. */
const KNOWN_MAX = 8

export interface Connector {
	url: string
	/** Name of its credential; null where it needs none. */
	credential: string | null
	tools: string[]
	/** By the server's name of the tool. */
	settings: Map<string, Agent['tools'][string]>
	/** Longest wait for one call, where its agent says so. */
	timeoutMs: number | undefined
}

export interface LoadedBundle {
	digest: string
	/** Its limits are those it is held to. */
	agent: Agent
	guest: GuestBundle
	connectors: Connector[]
	/** By name; of `model` under undefined. */
	models: ReturnType<typeof modelChains>
	/** It has more than one model. */
	several: boolean
	/** Each key of its models, with one of these. */
	keys: ChosenModel[]
	/** What its programs may call. */
	http: HttpOrigins
	validateOutput: Validate | null
	/** Of a schema that a program asks a model for. Throws where it is none. */
	validateAnswer(schema: object): Validate
	/** A stack trace with the places its owner knows. */
	stacks: Stacks
	/** What is held of it, in characters. */
	chars: number
	/** `tools.declare` says the same in every run of a bundle. */
	declared(args: string): DeclaredTools
}

export interface BundleCache {
	/** Undefined where it must be asked for. */
	held(digest: string): LoadedBundle | undefined
	load(digest: string): Promise<LoadedBundle>
	forget(digest: string): void
}

export function createBundleCache(
	host: HostLink,
	ceilings: RunCeilings,
	maxChars: number = MAX_CHARS,
): BundleCache {
	/** Least recently used first. */
	const bundles = new Map<string, LoadedBundle>()
	let chars = 0
	const loading = new Map<string, Promise<LoadedBundle>>()

	const fetch = async (digest: string) => {
		const bytes = await untilDone(() => host.call('bundle.get', { digest }, { timeoutMs: ANSWER_MS }))
		const bundle = readLoaded(bytes, digest, ceilings)
		forget(digest)
		bundles.set(digest, bundle)
		chars += bundle.chars
		for (const oldest of bundles.keys()) {
			if ((bundles.size <= MAX_BUNDLES && chars <= maxChars) || oldest === digest) break
			forget(oldest)
		}
		return bundle
	}
	const forget = (digest: string) => {
		const bundle = bundles.get(digest)
		if (bundle && bundles.delete(digest)) chars -= bundle.chars
	}
	return {
		held(digest) {
			const bundle = bundles.get(digest)
			if (bundle) {
				bundles.delete(digest)
				bundles.set(digest, bundle)
			}
			return bundle
		},
		load(digest) {
			let promise = loading.get(digest)
			if (!promise) {
				promise = fetch(digest).finally(() => loading.delete(digest))
				loading.set(digest, promise)
			}
			return promise
		},
		forget,
	}
}

/** A map that has been read takes about five times its text. */
const MAP_FACTOR = 5

function charsOf({ scripts }: Bundle, guest: GuestBundle): number {
	const each = scripts.map(({ code, map = '' }) => code.length + MAP_FACTOR * map.length)
	return each.reduce((sum, chars) => sum + chars, guest.agent.length)
}

function readLoaded(bytes: Uint8Array, digest: string, ceilings: RunCeilings): LoadedBundle {
	let bundle: ReturnType<typeof readBundle>
	try {
		bundle = readBundle(bytes, digest)
	} catch (cause) {
		throw new RunFailure(
			'agent_error',
			`The stored bundle cannot be used: ${(cause as BundleError).message}`,
			{ cause },
		)
	}
	const agent = { ...bundle.agent, limits: limitsUnder(ceilings, bundle.agent.limits) }
	const models = modelChains(agent)
	const declared = new Map<string, DeclaredTools>()
	const answers = new Map<string, Validate>()
	const guest = guestBundle(bundle)
	return {
		digest,
		agent,
		guest,
		stacks: stacksOf(bundle.scripts),
		chars: charsOf(bundle, guest),
		connectors: connectorsOf(agent),
		models,
		several: [...models.values()].flat().length > 1,
		keys: modelKeys(agent),
		http: httpOriginsOf(agent),
		validateOutput: agent.output ? compileSchema(agent.output) : null,
		validateAnswer(schema) {
			const text = JSON.stringify(schema)
			const known = answers.get(text)
			if (known) return known
			const validate = answerValidator(schema)
			if (answers.size < KNOWN_MAX) answers.set(text, validate)
			return validate
		},
		declared(args) {
			const known = declared.get(args)
			if (known) return known
			const tools = declaredTools(args)
			if (declared.size < KNOWN_MAX) declared.set(args, tools)
			return tools
		},
	}
}

function answerValidator(schema: object): Validate {
	const [fault] = checkSchema(schema)
	if (!fault) return compileSchema(schema)
	const place = fault.path.map((part) => `/${part}`).join('')
	throw new EffectRejection(
		'agent_error',
		`The \`output\` of a model call is no JSON Schema: ${place || '/'} ${fault.message}.`,
	)
}

/** Deployed under other ceilings, a bundle is held to those of now; a limit its agent does not set is the ceiling. */
function limitsUnder(ceilings: RunCeilings, own: Agent['limits']): Agent['limits'] {
	const limits = { ...own }
	for (const name of Object.keys(ceilings) as (keyof RunCeilings)[]) {
		const ceiling = ceilings[name]
		if (ceiling !== undefined) limits[name] = Math.min(limits[name] ?? ceiling, ceiling)
	}
	return limits
}

function connectorsOf(agent: Agent): Connector[] {
	return agent.requires.map(({ connector, auth, tools }) => {
		const slug = connectorSlug(connector)
		const settings = Object.entries(agent.tools).flatMap(([key, value]) => {
			const named = toolKey(key)
			return named.connector === slug ? [[named.tool, value] as const] : []
		})
		return {
			url: canonicalUrl(connector),
			credential: auth === 'none' ? null : `connector:${slug}`,
			tools,
			settings: new Map(settings),
			timeoutMs: timeoutOf(agent, slug),
		}
	})
}

function timeoutOf({ connectors = {} }: Agent, slug: string): number | undefined {
	const [, settings] = Object.entries(connectors).find(([key]) => connectorKey(key) === slug) ?? []
	return settings?.timeout_seconds === undefined ? undefined : settings.timeout_seconds * 1000
}
