/**
 * What the guard needs of the account platform that hosts it. Amounts are integers of 1/10,000 credit; at 100 credits
 * for a million input tokens that is one a token.
 */
export interface Platform {
	/** Contract: throttles by address and by account, without letting a stranger's tries lock an account out. */
	signIn(attempt: { email: string; password: string; address: string }): Promise<PasswordCheck>
	/** The account of a browser that is signed in at the Platform already; null: none. */
	session(cookieHeader: string | undefined): Promise<GuardAccount | null>
	/** Fresh from the database, in the order asked for. Null: there is no such account. */
	accounts(ids: string[]): Promise<(GuardAccount | null)[]>
	/**
	 * Says that an account was disabled or otherwise changed (null: any may have been), before the change is answered on
	 * the host that made it, within a second on the others. Balances change without a word.
	 */
	watch(changed: (accountId: string | null) => void): () => void
	/** For the Platform's log: a person let a program in on a page of the guard, or a program ended its own access. */
	noteProgram(note: ProgramNote): void
	/**
	 * Each on its own: takes `amount` from the balance and writes the ledger in one atomic step, or takes nothing where
	 * the balance is lower. The answer, in order, has the balance after it. No account comes twice. Throws, with nothing
	 * taken, where the ledger cannot be reached.
	 */
	charge(charges: Charge[]): Promise<{ charged: boolean; balance: number }[]>
}

/** What was let in. */
export interface Program {
	/** What the account sees of the grant. */
	grant: string
	/** Its own word. */
	name: string
	clientId: string
	resource: string
	/** With spaces between. */
	scopes: string
}

export interface ProgramNote {
	did: 'allowProgram' | 'endProgram'
	accountId: string
	program: Program
	/** The caller's. */
	address: string
}

export interface Charge {
	accountId: string
	amount: number
	reason: string
}

export interface GuardAccount {
	id: string
	email: string
	/** On a plan that is paid for. */
	paid: boolean
	/** Not metered. */
	tester: boolean
	disabled: boolean
	balance: number
}

/** A disabled account signs in, too: its first call says that it cannot use the guard. */
export type PasswordCheck =
	| { ok: true; account: GuardAccount }
	| { ok: false; reason: 'refused' }
	| { ok: false; reason: 'throttled'; retryAfterSeconds: number }
