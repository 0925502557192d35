import { domains, issuer, oneOf, type Setting, setting, text } from './readers.ts'

export const openIdSettings = {
	OIDC_ISSUER: setting('', 'Issuer of the OpenID provider that people may sign in with; unset: none', issuer),
	OIDC_CLIENT_ID: text('', 'Client id of this host at OIDC_ISSUER'),
	OIDC_CLIENT_SECRET: {
		...text('', 'Client secret of this host at OIDC_ISSUER; unset: a public client'),
		secret: true as const,
	},
	OIDC_NAME: text('your organisation', 'Name of the OpenID provider on the sign-in page'),
	OIDC_REGISTRATION: oneOf(
		['closed', 'open'],
		'Who may sign in with it: closed (e-mail addresses that have an account) or open (others get an account)',
	),
	OIDC_ALLOWED_DOMAINS: domains(
		'With OIDC_REGISTRATION=open, domains of e-mail addresses that get an account, comma-separated; unset: all',
	),
} satisfies Record<string, Setting<unknown>>

type OpenIdConfig = Partial<{
	[K in keyof typeof openIdSettings]: ReturnType<(typeof openIdSettings)[K]['read']>
}>

export function openIdFaults(config: OpenIdConfig): string[] {
	const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_REGISTRATION, OIDC_ALLOWED_DOMAINS } = config
	const faults: string[] = []
	if (OIDC_ISSUER && OIDC_CLIENT_ID === '') faults.push('OIDC_CLIENT_ID: OIDC_ISSUER needs it')
	if (OIDC_ISSUER === '' && (OIDC_CLIENT_ID || OIDC_CLIENT_SECRET || OIDC_REGISTRATION === 'open'))
		faults.push('OIDC_ISSUER: the other OIDC_ settings need it')
	// Ignored, it would look as if it kept anybody out.
	if (OIDC_ALLOWED_DOMAINS?.length && OIDC_REGISTRATION === 'closed')
		faults.push('OIDC_ALLOWED_DOMAINS: counts with OIDC_REGISTRATION=open only')
	return faults
}
