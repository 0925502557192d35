/**
 * The credentials of every deployment this host serves: ciphertext as the host sent it, and the few opened ones in use.
 * An address is compared before each use, also of one that is open already.
 */
import type { DeploymentState, SealedCredential } from '../../wire/runtime-calls.ts'
import { KeyError } from './error.ts'
import { type Payload, rejected, secretsOf } from './payload.ts'
import { openSealed, openSealingKey, seal } from './sealing.ts'
import type { Wrapper } from './wrap.ts'

const MAX_OPEN = 256

export interface OpenCredential {
	name: string
	version: number
	payload: Payload
	secrets: readonly string[]
}

export interface Credentials {
	/** An older state than the one held (`rev`) is ignored. */
	put(state: DeploymentState): void
	drop(deployment: string): void
	knows(deployment: string): boolean
	/** Why nothing sealed to the deployment's key can be opened; undefined where it can. */
	unreadable(deployment: string): string | undefined
	/** The owner reads that its last use failed. */
	fails(deployment: string, name: string): boolean
	/** 0 where there is none. */
	version(deployment: string, name: string): number
	/** Takes over what the host has stored, if it is newer than what is held. */
	replace(deployment: string, credential: SealedCredential): void
	/** Seals to the deployment's own key, as its owner would. */
	seal(deployment: string, name: string, aud: string, plaintext: string): Promise<string>
	/** Digests of the locked tools of a connector. */
	locks(deployment: string, connector: string): Readonly<Record<string, string>>
	setLocks(deployment: string, connector: string, locks: Record<string, string>): void
	/** Rejects `credentials_missing` or `credential_rejected`. `aud`: where it is about to be sent. */
	open(deployment: string, name: string, aud: string): Promise<OpenCredential>
}

export type OnUnreadable = (key: { deployment: string; kid: string; reason: string }) => void

interface Opened {
	aud: string
	credential: Promise<OpenCredential>
}

export function createCredentials(keys: Wrapper, onUnreadable: OnUnreadable = () => {}): Credentials {
	const states = new Map<string, DeploymentState>()
	const unreadable = new Map<string, string>()
	/** Least recently used first. Key: deployment, name, version. */
	const opened = new Map<string, Opened>()

	const find = (deployment: string, name: string) =>
		states.get(deployment)?.credentials.find((credential) => credential.name === name)

	const check = ({ id, sealing }: DeploymentState) => {
		if (states.get(id)?.sealing.wrapped === sealing.wrapped && !unreadable.has(id)) return
		unreadable.delete(id)
		try {
			openSealingKey(keys, id, sealing)
		} catch (error) {
			const { message: reason } = error as Error
			unreadable.set(id, reason)
			onUnreadable({ deployment: id, kid: sealing.kid, reason })
		}
	}

	const unseal = async (
		state: DeploymentState,
		sealed: SealedCredential,
		aud: string,
	): Promise<OpenCredential> => {
		const key = openSealingKey(keys, state.id, state.sealing)
		const place = { deployment: state.id, name: sealed.name, aud }
		const payload = await openSealed(sealed.jwe, state.sealing.kid, key, place)
		return { name: sealed.name, version: sealed.version, payload, secrets: secretsOf(payload) }
	}

	const forget = (deployment: string, keep: (key: string) => boolean = () => false) => {
		for (const key of opened.keys()) if (key.startsWith(`${deployment} `) && !keep(key)) opened.delete(key)
	}

	return {
		put(state) {
			const held = states.get(state.id)
			if (held && held.rev > state.rev) return
			check(state)
			// A refresh may be known here before the host has read it: versions only grow.
			const credentials = state.credentials.map((given) => newer(given, find(state.id, given.name)))
			states.set(state.id, { ...state, credentials })
			const current = new Set(credentials.map(({ name, version }) => keyOf(state.id, name, version)))
			forget(state.id, (key) => current.has(key))
		},
		drop(deployment) {
			states.delete(deployment)
			unreadable.delete(deployment)
			forget(deployment)
		},
		knows: (deployment) => states.has(deployment),
		unreadable: (deployment) => unreadable.get(deployment),
		fails: (deployment, name) => find(deployment, name)?.failing === true,
		version: (deployment, name) => find(deployment, name)?.version ?? 0,
		replace(deployment, credential) {
			const state = states.get(deployment)
			if (!state) return
			const others = state.credentials.filter(({ name }) => name !== credential.name)
			const next = newer(credential, find(deployment, credential.name))
			states.set(deployment, { ...state, credentials: [...others, next] })
		},
		async seal(deployment, name, aud, plaintext) {
			const state = states.get(deployment)
			if (!state) throw new KeyError('credentials_missing', 'The deployment is not known here any more.')
			const key = openSealingKey(keys, deployment, state.sealing)
			return seal(key, state.sealing.kid, { deployment, name, aud }, plaintext)
		},
		locks: (deployment, connector) => states.get(deployment)?.locks?.[connector] ?? {},
		setLocks(deployment, connector, locks) {
			const state = states.get(deployment)
			if (state) states.set(deployment, { ...state, locks: { ...state.locks, [connector]: locks } })
		},
		async open(deployment, name, aud) {
			const state = states.get(deployment)
			const sealed = find(deployment, name)
			if (!state || !sealed)
				throw new KeyError('credentials_missing', `The credential ${name} has not been uploaded.`)
			const key = keyOf(deployment, name, sealed.version)
			const held = opened.get(key)
			if (held && held.aud !== aud) throw rejected(`${name} was sealed for another address than ${aud}.`)
			const credential = held?.credential ?? unseal(state, sealed, aud)
			opened.delete(key)
			opened.set(key, { aud, credential })
			if (opened.size > MAX_OPEN) opened.delete(opened.keys().next().value as string)
			try {
				return await credential
			} catch (error) {
				if (opened.get(key)?.credential === credential) opened.delete(key)
				throw error
			}
		},
	}
}

const newer = (a: SealedCredential, b: SealedCredential | undefined) => (b && b.version > a.version ? b : a)
const keyOf = (deployment: string, name: string, version: number) => `${deployment} ${name} ${version}`
