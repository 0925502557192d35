/** What a secret opens. Prefixes: `brk` run key, `bpt` personal token, `bup` upload, `bss` session, `bsi` sign-in link. */
export type SecretKind = 'run_key' | 'personal' | 'upload' | 'session' | 'sign_in'

export interface IssuedSecret {
	/** Of the row it belongs to: `key_…` for run keys, `tok_…` otherwise. */
	id: string
	/** Shown once, stored nowhere. */
	secret: string
	/** argon2id PHC string, for the row. */
	hash: string
}

export interface Secrets {
	/** A new secret and what to store of it; the caller inserts the row. */
	issue(kind: SecretKind): Promise<IssuedSecret>
	/** After the row is revoked, expired or changed: every host forgets it within a second. */
	forget(id: string): Promise<void>
	/** After an account is disabled or changed, likewise for all of its secrets. */
	forgetAccount(accountId: string): Promise<void>
}
