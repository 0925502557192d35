/**
 * The client under test: an agent's own connection to an MCP server (runtime/process/connectors), signed in as `berth connect`
 * does it (host/owner/client). Argument: the server's address. The suite hands scenarios what they need in
 * MCP_CONFORMANCE_CONTEXT.
 */
import { completer } from '../../bundles/index.ts'
import { beginConnect } from '../../host/owner/client/index.ts'
import { createEgress } from '../../runtime/egress/index.ts'
import {
	ConnectorError,
	createConnectors,
	type Question,
	type QuestionAnswer,
	type Resumed,
} from '../../runtime/process/connectors/index.ts'

interface Schema {
	properties?: Record<string, { type?: string }>
}
interface Call {
	name: string
	arguments: unknown
}

const url = process.argv.at(-1) ?? ''
const limits = { signal: AbortSignal.timeout(25_000), timeoutMs: 10_000 }
/** The suite's servers come on free ports of this machine. */
const egress = createEgress({ allow: ['localhost', '127.0.0.1', '::1'] })
const connectors = createConnectors({ egress })
const { toolCalls, client_id, client_secret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
	toolCalls?: Call[]
	client_id?: string
	client_secret?: string
}
/** An agent names the tools that it requires: here all that the suite's servers offer. */
const tools = ['test-tool', 'add_numbers', 'lookup_user', 'valid_tool', 'test_reconnection', 'test_headers']
tools.push('test_custom_headers', 'test_custom_headers_null', 'test_client_elicitation_defaults')
tools.push('test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated', 'test_mrtr_no_result_type')

/** What a server turned a call away for; asked for at the next sign-in. */
const lacking: string[] = []

async function work(token?: string): Promise<void> {
	const target = {
		deployment: 'conformance',
		url,
		credentialVersion: token === undefined ? 0 : 1,
		...(token !== undefined && { token: async () => token }),
		lacks: async (_token: string, scope: string) => {
			lacking.push(...scope.split(' ').filter(Boolean))
			return 'lacks' as const
		},
	}
	const offered = (await connectors.list(target, tools, limits)).tools
	const calls =
		toolCalls ?? offered.map(({ name, input }) => ({ name, arguments: argumentsFor(input as Schema) }))
	for (const call of calls) {
		const before = lacking.length
		const ask = async (question: Question) => answerTo(question)
		const once = (resumed?: Resumed) =>
			connectors.call(target, call.name, call.arguments, { ...limits, ask, ...(resumed && { resumed }) })
		let reply = await once()
		for (let rounds = 0; reply.asks && rounds < 5; rounds++) {
			const { questions, ...state } = reply.asks
			const answers = questions.map((question) => ({ key: question.key, ...answerTo(question) }))
			reply = await once({ answers, ...state })
		}
		// The call fails and a run goes on; its owner is told, and signs in again.
		if (lacking.length > before)
			throw new ConnectorError('connector_not_connected', 'unauthorized', reply.output)
		console.log(`${call.name}: ${reply.ok ? 'ok' : 'failed'}: ${reply.output}`)
	}
}

/** As an owner who agrees to everything and fills in nothing: the host puts in what the question has as defaults. */
function answerTo({ schema }: Question): QuestionAnswer {
	const completed = schema && completer(schema)?.({})
	const content = completed && 'value' in completed ? (completed.value as Record<string, unknown>) : {}
	return { action: 'accept', ...(schema && { content }) }
}

function argumentsFor({ properties = {} }: Schema): Record<string, unknown> {
	const values: Record<string, unknown> = { number: 5, integer: 5, boolean: true, string: 'text' }
	return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, values[type ?? '']]))
}

/** The suite's authorization servers answer at once, with a redirect that holds the code. */
async function signIn(): Promise<string> {
	const { url: asked, finish } = await beginConnect(url, 'http://127.0.0.1:3000/callback', {
		scopes: [],
		more: lacking,
		// As `berth connect --client-id` has it.
		...(client_id !== undefined && { client: { id: client_id, secret: client_secret } }),
	})
	const answer = await fetch(asked, { redirect: 'manual' })
	const { access_token } = await finish(new URL(answer.headers.get('location') ?? '').searchParams)
	return String(access_token)
}

/** As an owner does with `berth connect`, whenever a server turns the sign-in away. */
async function workSignedIn(): Promise<void> {
	let token: string | undefined
	for (let left = 3; ; left--) {
		try {
			return await work(token)
		} catch (error) {
			if (left === 0 || !(error instanceof ConnectorError) || error.reason !== 'unauthorized') throw error
			token = await signIn()
		}
	}
}

try {
	await workSignedIn()
} catch (error) {
	console.error(error)
	process.exitCode = 1
} finally {
	await connectors.close()
	await egress.close()
}
