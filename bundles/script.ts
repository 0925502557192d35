/** A compiled program of an agent: `tools.ts` of a skill, or `agent.ts`. */
export interface Script {
	name: string
	kind: 'tools' | 'agent'
	skill?: string
	code: string
	/** Its source map, in base64, where it was built with one. */
	map?: string
}
