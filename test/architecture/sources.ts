import { dirname, relative, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { root, sourceFiles, textOf } from './files.ts'

export interface Import {
	/** Path from the root. */
	to: string
	typeOnly: boolean
}

export interface Source {
	/** Path from the root. */
	path: string
	lines: number
	imports: Import[]
	/** Packages that are loaded with the file, so neither types nor `import()`. */
	packages: string[]
	/** `lines`: its own. A function within a function is counted for itself, like a method. */
	functions: { name: string; line: number; lines: number }[]
}

/** Every source file of the rooms, parsed, which takes seconds: for what cannot be seen in a file's text alone. */
export const sources: Source[] = sourceFiles.map(read)

interface Node {
	type: string
	start: number
	end: number
	id?: { name?: string } | null
	[key: string]: unknown
}

function read(path: string): Source {
	const text = textOf(path)
	const { program, module } = parseSync(path, text)
	const lineAt = lineCounter(text)
	const imports = [
		...module.staticImports.map((one) => ({
			from: one.moduleRequest.value,
			typeOnly: one.entries.length > 0 && one.entries.every((entry) => entry.isType),
		})),
		...module.staticExports.flatMap((one) =>
			one.entries
				.filter((entry) => entry.moduleRequest)
				.map((entry) => ({ from: entry.moduleRequest?.value ?? '', typeOnly: entry.isType })),
		),
	]
	const packages = imports.filter(({ from, typeOnly }) => !from.startsWith('.') && !typeOnly)
	const functions: Source['functions'] = []
	measure(program as unknown as Node, lineAt, functions)
	return {
		path,
		lines: text.split('\n').length - 1,
		imports: imports
			.filter(({ from }) => from.startsWith('.'))
			.map(({ from, typeOnly }) => ({ to: relative(root, resolve(root, dirname(path), from)), typeOnly })),
		packages: packages.map(({ from }) => from),
		functions,
	}
}

/** Lines of the functions below a node; each function's own go to `found`, without those of functions within it. */
function measure(node: Node, lineAt: (offset: number) => number, found: Source['functions']): number {
	let within = 0
	for (const value of Object.values(node)) {
		for (const child of Array.isArray(value) ? value : [value]) {
			const isNode = child && typeof child === 'object' && typeof (child as Node).type === 'string'
			if (isNode) within += measure(child as Node, lineAt, found)
		}
	}
	if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return within
	const line = lineAt(node.start)
	const lines = lineAt(node.end) - line + 1
	found.push({ name: node.id?.name ?? '(unnamed)', line, lines: lines - within })
	// The line it begins on is also the outer one’s.
	return lines - 1
}

function lineCounter(text: string): (offset: number) => number {
	const starts = [0]
	for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
	return (offset) => {
		let low = 0
		let high = starts.length
		while (high - low > 1) {
			const middle = (low + high) >> 1
			if ((starts[middle] ?? 0) <= offset) low = middle
			else high = middle
		}
		return low + 1
	}
}
