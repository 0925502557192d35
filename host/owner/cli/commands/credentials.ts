import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { tellList } from '../list.ts'
import {
	gatherSecrets,
	requireNamed,
	type SecretOptions,
	secretOptions,
	upload,
	variableOf,
} from '../secrets.ts'
import { findDeployment, session } from '../session.ts'

export function credentialsCommand(program: Command): void {
	secretOptions(command(program, 'credentials <name>', 'state of the credentials, or new values for them'))
		.option(
			'--set',
			'ask for new values (with --provider-key-env, --bearer-env and --secret-env: take them from there)',
		)
		.action(
			does<SecretOptions & { set?: boolean }>(async (io, options, name) => {
				const client = session(io)
				const deployment = await findDeployment(client, name)
				requireNamed(deployment.credentials, options)
				const isNamed = (need: (typeof deployment.credentials)[number]) =>
					variableOf(need, options) !== undefined
				// A script names what it replaces; a person is asked for the rest.
				const all = options.set && (io.interactive || !deployment.credentials.some(isNamed))
				const needs = deployment.credentials.filter((need) => all || isNamed(need))
				await upload(io, client, deployment, await gatherSecrets(io, needs, options))
				const { credentials } = await client.deployments.get(deployment.id)
				tellList(
					io,
					{ data: credentials },
					{
						none: 'No credentials.',
						head: ['NAME', 'KIND', 'STATE', 'NEEDED BY', ''],
						row: ({ name, kind, state, needed_by, last_used_at, last_error }) => [
							name,
							kind,
							state,
							needed_by,
							last_error ?? (last_used_at ? `used ${last_used_at}` : 'never used'),
						],
					},
				)
			}),
		)
}
