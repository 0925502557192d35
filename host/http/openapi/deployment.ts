import { type Agent, relocate } from '../../../bundles/index.ts'
import type { Parts } from './document.ts'

/** A deployment, as far as its document tells of it. */
export interface DescribedAgent {
	name: string
	agent: Agent
	url: string
	version: number
}

const inputsRef = { $ref: '#/components/schemas/Inputs' }
const outputRef = { $ref: '#/components/schemas/Output' }

/** `GET {deployment_url}/openapi.json`: what a run key may call there, typed for this agent. */
export function deploymentDocument(parts: Parts, { name, agent, url, version }: DescribedAgent): object {
	const { paths, components } = structuredClone(parts)
	const { RunRequest, Run } = components.schemas as Record<string, { properties: Record<string, unknown> }>
	if (RunRequest) RunRequest.properties.inputs = inputsRef
	if (Run)
		Object.assign(Run.properties, { inputs: inputsRef, output: { anyOf: [outputRef, { type: 'null' }] } })
	return {
		openapi: '3.1.0',
		info: {
			title: name,
			version: String(version),
			...(agent.description && { description: agent.description }),
		},
		servers: [{ url }],
		paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [below(path), ownOf(methods)])),
		components: {
			schemas: {
				...components.schemas,
				...placed('Inputs', agent.inputs),
				...placed('Output', agent.output ?? { type: 'string' }),
			},
			responses: components.responses,
			securitySchemes: {
				run_key: { type: 'http', scheme: 'bearer', description: 'Run key of this deployment.' },
			},
		},
	}
}

const below = (path: string) => path.replace(/^\/d\/\{slug\}/, '')

/** Without the parameter that the address has settled. */
function ownOf(methods: Parts['paths'][string]): Parts['paths'][string] {
	return Object.fromEntries(
		Object.entries(methods).map(([method, { parameters, ...rest }]) => {
			const left = parameters?.filter(({ name }) => name !== 'slug') ?? []
			return [method, { ...rest, ...(left.length > 0 && { parameters: left }), security: [{ run_key: [] }] }]
		}),
	)
}

/** A schema under its name, and its `$defs` beside it, where every generator of clients looks for them. */
function placed(name: string, { $defs = {}, ...schema }: Record<string, unknown>): Record<string, unknown> {
	const names = new Map(Object.keys($defs as object).map((own, at) => [own, `${name}.${at}.${plain(own)}`]))
	const to = (pointer: string) => {
		const [, own = '', rest = ''] = /^\/\$defs\/([^/]+)(.*)$/.exec(pointer) ?? []
		const moved = names.get(decodeURIComponent(own).replaceAll('~1', '/').replaceAll('~0', '~'))
		return `#/components/schemas/${moved ? moved + rest : name + pointer}`
	}
	const defs = Object.entries($defs as object).map(([own, def]) => [names.get(own), relocate(def, to)])
	return { [name]: relocate(schema, to), ...Object.fromEntries(defs) }
}

const plain = (name: string) => name.replace(/[^\w-]/g, '_')
