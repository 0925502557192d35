import type { Client } from '../../client/index.ts'
import type { Io } from '../io.ts'
import { clientOf } from '../session.ts'
import type { PrivateHost } from './private-host.ts'
import { type DevState, writeState } from './state.ts'

const EMAIL = 'dev@berth.localhost'

/** The account of the private host, made at its first start, and a link that signs in to its console once. */
export async function devAccount(
	io: Io,
	host: PrivateHost,
	folder: string,
	state: DevState,
): Promise<{ client: Client; link: string }> {
	const operator = clientOf(io, host.url, host.operator)
	const known = state.account !== undefined && state.token !== undefined
	if (!known) {
		const made = await operator.admin.createAccount({
			email: EMAIL,
			plan: 'team',
			operator: true,
			token: true,
		})
		Object.assign(state, { account: made.id, token: made.token })
	}
	writeState(folder, state)
	const { sign_in_link: link } = await operator.admin.signInLink(String(state.account))
	return { client: clientOf(io, host.url, String(state.token)), link }
}
