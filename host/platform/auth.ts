import type { FastifyRequest } from 'fastify'
import type { Host } from '../context.ts'
import { Problem } from '../errors.ts'

/** A signed-in account that is not disabled. */
export interface Owner {
	accountId: string
	email: string
	plan: string
	operator: boolean
	tester: boolean
	via: 'personal' | 'session' | 'oauth' | 'local'
}

export type Scope = 'run' | 'read' | 'cancel' | 'read:all'

export interface RunKey {
	id: string
	deploymentId: string
	accountId: string
	scopes: readonly Scope[]
	/** Shared by a key and its rotated successors: whose runs it sees. */
	lineage: string
}

/** Who calls a deployment's address. */
export type Caller = { kind: 'owner'; owner: Owner } | { kind: 'run_key'; key: RunKey }

interface Place {
	id: string
	accountId: string
}

/** `/v1`: personal token, OAuth access token for `{base_url}/v1`, or the console's session cookie. */
export async function requireOwner(_host: Host, _request: FastifyRequest): Promise<Owner> {
	throw new Problem('unauthenticated', 'Not signed in.')
}

/** `/v1/admin`: an owner with the operator role, or the local operator token of DATA_DIR. */
export async function requireOperator(_host: Host, _request: FastifyRequest): Promise<Owner> {
	throw new Problem('unauthenticated', 'Not signed in.')
}

/** The hot path: answers at once (no promise) where the key was verified within the last minute. */
export function requireRunKey(
	_host: Host,
	_request: FastifyRequest,
	_at: Place,
	_scope: Scope,
): RunKey | Promise<RunKey> {
	throw new Problem('unauthenticated', 'Not signed in.')
}

/** At a deployment's address: a run key with the scope, or its owner's token (never a cookie). */
export function requireCaller(
	_host: Host,
	_request: FastifyRequest,
	_at: Place,
	_scope: Scope,
): Caller | Promise<Caller> {
	throw new Problem('unauthenticated', 'Not signed in.')
}

/** `PUT {deployment_url}/credentials/*`: the owner's token or this deployment's upload token. */
export async function requireUploader(_host: Host, _request: FastifyRequest, _at: Place): Promise<void> {
	throw new Problem('unauthenticated', 'Not signed in.')
}
