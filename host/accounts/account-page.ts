import type { AccountRow } from '../auth/index.ts'
import { alertOf, type Html, html, htmlPage } from '../http/html.ts'
import { type LedgerRow, toCredits } from './ledger.ts'

export interface AccountView {
	account: AccountRow
	held: { name: string; state: string; since: Date }[]
	/** Newest first. */
	ledger: LedgerRow[]
	/** There are entries older than those of `ledger`. */
	more: boolean
	fault?: string | undefined
}

/** Platform Hub (spec account.account-page): plan, slots, credits and ledger of the account that is signed in. */
export function accountPage({ account, held, ledger, more, fault }: AccountView): Html {
	const { email, plan, running_agents, tester, balance, has_password } = account
	const facts: [string, string][] = [
		['Account', email],
		['Plan', plan],
		['Slots', `${held.length} of ${running_agents ?? 'any number'} used`],
		['Tester', tester ? 'yes' : 'no'],
		['Credits', credits(balance)],
	]
	return htmlPage(
		'Platform Hub',
		html`<h1>Platform Hub</h1>
${alertOf(fault)}
<dl>
${facts.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}
</dl>
${slotsPart(held)}
${ledgerPart(ledger, more)}
${!has_password && passwordPart}
<form method="post" action="/sign-out" class="end"><button>Sign out</button></form>`,
		true,
	)
}

function slotsPart(held: AccountView['held']): Html {
	if (held.length === 0)
		return html`<h2>Slots</h2>
<p class="soft">No deployment takes a slot.</p>`
	const rows = held.map(
		({ name, state, since }) => html`<tr><td>${name}</td><td>${state}</td><td>${time(since)}</td></tr>`,
	)
	return html`<h2>Slots</h2>
<table>
<tr><th scope="col">Deployment</th><th scope="col">State</th><th scope="col">Since</th></tr>
${rows}
</table>`
}

function ledgerPart(ledger: LedgerRow[], more: boolean): Html {
	const rows = ledger.map(
		({ at, amount, balance, reason }) =>
			html`<tr><td>${time(at)}</td><td class="number">${amount > 0 ? '+' : ''}${credits(amount)}</td><td class="number">${credits(balance)}</td><td>${reason}</td></tr>`,
	)
	return html`<h2>Ledger</h2>
<table>
<tr><th scope="col">Date</th><th scope="col" class="number">Amount</th><th scope="col" class="number">Balance</th><th scope="col">Reason</th></tr>
${rows}
</table>
${more && html`<p class="soft">The newest ${ledger.length}. All: <code>GET /v1/account/ledger</code></p>`}`
}

const passwordPart = html`<h2>Password</h2>
<form method="post" action="/account/password">
<label for="password">New password</label>
<p class="soft">You have none yet. 12 characters or more.</p>
<input id="password" type="password" name="password" autocomplete="new-password" minlength="12" maxlength="200" required>
<button>Set password</button>
</form>`

/** Four places are all there are. */
const credits = (units: number) => toCredits(units).toLocaleString('en-US', { maximumFractionDigits: 4 })

function time(at: Date): Html {
	const iso = at.toISOString()
	return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
