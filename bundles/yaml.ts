import {
	type Document,
	isCollection,
	isMap,
	isPair,
	isScalar,
	Lexer,
	LineCounter,
	parseDocument,
	visit,
} from 'yaml'
import { isDeep, TOO_DEEP } from './depth.ts'
import { type BundleFault, FAULTS_MAX, fault } from './fault.ts'

/** Punctuation, spaces and texts, as the lexer counts them: about eight for each member of a map. */
const LEXEMES_MAX = 50_000

export interface YamlText {
	document: Document
	/** 1-based, of an offset in the text. */
	lineAt(offset: number): number
	/** Those of the first kind found; without one the document can be read. */
	faults: BundleFault[]
}

/**
 * Parses a stranger's YAML in a time that grows no faster than its size: what would cost more is refused from its
 * lexemes, before anything is made of them. `firstLine`: of the text in its file.
 */
export function readYaml(file: string, text: string, maxBytes: number, firstLine = 1): YamlText {
	const lines = new LineCounter()
	const lineAt = (offset: number) => lines.linePos(offset).line + firstLine - 1
	const refused = excess(text, maxBytes)
	if (refused) return { document: parseDocument(''), lineAt: () => firstLine, faults: [fault(file, refused)] }
	// The library compares each key with all before it; `twins` looks each up.
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
	if (documentNestsTooDeep(document)) return { document, lineAt, faults: [fault(file, TOO_DEEP)] }
	const found = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
		message,
		at: pos[0],
	}))
	const faults = [...found, ...refusals(document)]
		.slice(0, FAULTS_MAX)
		.map(({ message, at }) => fault(file, message, lineAt(at)))
	return { document, lineAt, faults }
}

/** Before anything walks its nodes; or so deep that its parser gave up. */
function documentNestsTooDeep({ contents, errors }: Document): boolean {
	if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) return true
	return isDeep(contents, (node) =>
		isCollection(node)
			? node.items.flatMap((item) => (isPair(item) ? [item.key, item.value] : [item as unknown]))
			: [],
	)
}

function excess(text: string, maxBytes: number): string | null {
	if (Buffer.byteLength(text) > maxBytes) return `is over ${maxBytes / 1024} KiB`
	let lexemes = 0
	for (const _ of new Lexer().lex(text))
		if (++lexemes > LEXEMES_MAX) return `holds over ${LEXEMES_MAX / 1000},000 names, values and signs`
	return null
}

/** What YAML allows and an agent's files may not have. */
function refusals(document: Document): { message: string; at: number }[] {
	const found: { message: string; at: number }[] = []
	visit(document, {
		Alias: (_, node) => {
			found.push({ message: 'aliases (*name) are not taken; write it out', at: node.range?.[0] ?? 0 })
		},
		Map: (_, map) => {
			const seen = new Set<unknown>()
			for (const { key } of map.items) {
				if (!isScalar(key)) continue
				if (seen.has(key.value)) found.push({ message: 'Map keys must be unique', at: key.range?.[0] ?? 0 })
				seen.add(key.value)
			}
		},
	})
	return found
}

/** The line of a member of the document's map; null where it is not there. */
export function lineOfMember({ document, lineAt }: YamlText, name: PropertyKey | undefined): number | null {
	const { contents } = document
	const pair = isMap(contents) ? contents.items.find(({ key }) => String(key) === String(name)) : undefined
	const range = (pair?.key as { range?: number[] } | undefined)?.range
	return range ? lineAt(range[0] ?? 0) : null
}
