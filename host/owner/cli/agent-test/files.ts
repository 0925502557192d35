import { createHash } from 'node:crypto'
import { type Agent, fileFault, filePlaces, mapFiles } from '../../../../bundles/index.ts'
import type { TrialRequest } from './engine.ts'

/** Inputs of a test, with a reference in place of each file that it gives with its bytes. */
export function givenFiles(agent: Agent, given: unknown): { inputs: unknown; files: TrialRequest['files'] } {
	const files: TrialRequest['files'] = []
	const inputs = mapFiles(filePlaces(agent.inputs), given, (value, place, pointer) => {
		const { name, data, type, file: id } = value
		if (typeof name !== 'string' || !(typeof data === 'string' || data instanceof Uint8Array)) return value
		const bytes = typeof data === 'string' ? Buffer.from(data) : data
		const said =
			typeof type === 'string' ? type : typeof data === 'string' ? 'text/plain' : bare(place.accept)
		const fault = fileFault(place, { type: said, size: bytes.length })
		if (fault) throw new TypeError(`the inputs do not fit agent.yaml: ${pointer} ${fault}`)
		const file = typeof id === 'string' ? id : `file_${files.length + 1}`
		files.push({ file, name, type: said, bytes })
		const sha256 = createHash('sha256').update(bytes).digest('hex')
		return { file, name, type: said, size: bytes.length, sha256 }
	})
	return { inputs, files }
}

/** Of bytes without a type: the one that is accepted. */
const bare = (accept: string[]) => accept.find((type) => !type.endsWith('*')) ?? 'application/octet-stream'
