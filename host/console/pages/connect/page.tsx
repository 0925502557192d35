import { useLocation } from 'preact-iso'
import { beginConnect, type Credential, type Deployment } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { useLoad } from '../../data/load.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { placeOf, requirementOf } from '../../parts/credentials/words.ts'
import { Failure, Note } from '../../parts/note.tsx'
import { Empty, NotShown, Page, Shown } from '../../parts/page.tsx'
import { putAway } from './put-away.ts'

/** `/connect?deployment=…&credential=…`: the window that signs in to a connector. */
export default function Connect() {
	const { query } = useLocation()
	const id = query.deployment ?? ''
	const loaded = useLoad(`connect ${id}`, () => client.deployments.get(id || 'none'))
	if (loaded.data === undefined)
		return (
			<NotShown title="Sign in" of={loaded} absent="There is no such agent">
				<p class="soft">Open this window by “Sign in” in the agent's credentials.</p>
				<LinkButton href="/">To the agents</LinkButton>
			</NotShown>
		)
	return (
		<Shown of={loaded}>
			{(deployment) => {
				const credential = deployment.credentials.find(
					({ name, kind }) => name === query.credential && kind === 'oauth',
				)
				if (!credential)
					return (
						<Page title="Sign in">
							<Empty title="The agent has no such sign-in" />
						</Page>
					)
				return <Begin deployment={deployment} credential={credential} />
			}}
		</Shown>
	)
}

interface BeginProps {
	deployment: Deployment
	credential: Credential
}

function Begin({ deployment, credential }: BeginProps) {
	const place = placeOf(credential.needed_by)
	const { tools } = requirementOf(deployment, credential)
	const own = new URL(credential.needed_by).origin === location.origin
	const begin = useAction(async () => {
		const { url, pending } = await beginConnect(credential.needed_by, `${location.origin}/connect/callback`, {
			...askedOf(deployment, credential),
			clientName: 'Berth console',
		})
		putAway({ deployment: deployment.id, credential: credential.name, pending })
		location.assign(url)
	})
	return (
		<Page title={`Sign in to ${place}`}>
			<div class="stack">
				<p>
					You go to the server that {place} names, sign in there, and allow <strong>{deployment.name}</strong>{' '}
					{tools.length > 0 ? `to use ${tools.join(', ')}` : 'to use it'}.
				</p>
				<p>
					The server sends this window a code that is worth nothing without a secret kept here. This window
					turns it into tokens, encrypts them for {deployment.name}, and uploads the ciphertext.{' '}
					{own
						? 'This is the guard of this host, which gives the tokens itself.'
						: 'Berth never sees them in clear.'}
				</p>
				{credential.missing_scope && (
					<Note tone="warn">
						<p>
							The connector asked for more than it was allowed: <code>{credential.missing_scope}</code>
						</p>
					</Note>
				)}
				<div class="actions">
					<Button kind="primary" busy={begin.busy} onClick={() => begin.run()}>
						Continue to sign in
					</Button>
					<Button kind="quiet" onClick={() => close()}>
						Close
					</Button>
				</div>
				<Failure
					of={begin.error}
					next={<OtherWay error={begin.error} deployment={deployment} credential={credential} />}
				/>
			</div>
		</Page>
	)
}

/** What the agent's entry names; where a call was refused for want of a scope, what it had and what it lacked. */
export function askedOf(
	deployment: Deployment,
	credential: Credential,
): { scopes: string[]; more: string[] } {
	const { scope, missing_scope } = credential
	const more = missing_scope === null ? [] : `${scope ?? ''} ${missing_scope}`.split(' ').filter(Boolean)
	return { scopes: requirementOf(deployment, credential).scopes, more }
}

/** What a browser says of a server that is away, and of one whose answers pages may not read. */
export const isUnread = (error: unknown): boolean =>
	error instanceof TypeError || (error instanceof Error && error.cause instanceof TypeError)

/** Not every server speaks to pages in a browser; the command line is no page. */
export function OtherWay({ error, deployment, credential }: BeginProps & { error: unknown }) {
	const unread = isUnread(error)
	return (
		<>
			{unread && (
				<p>
					It is away, or it does not let pages in a browser read its answers (CORS). The command line signs in
					to such servers as well:
				</p>
			)}
			{!unread && <p>The command line says more, and takes a client that you registered there:</p>}
			<Code
				label="command"
				text={`npm run berth -- connect ${quoted(deployment.name)} --connector ${credential.name}`}
			/>
		</>
	)
}

const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`)
