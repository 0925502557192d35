/** The compiler's errors in our words where its own give advice for other surroundings: a program runs without Node. */
import { isBuiltin } from 'node:module'
import { type BundleFault, fault, importFault, inPlaceOf, LACKING } from '../../../../bundles/index.ts'

export interface Said {
	file: string
	line: number
	message: string
}

interface About {
	files: Map<string, Uint8Array>
	/** There is a `node_modules`. */
	installed: boolean
	/** A test may use all of Node, of which only a few parts have types here (bundles/types/node-test.d.ts). */
	test: boolean
}

/** TS7016. */
const UNTYPED = /^Could not find a declaration file for module '([^']+)'/
/** TS2307, TS2882. */
const MODULE = /^Cannot find module (?:or type declarations for side-effect import of )?'([^']*)'/
/** TS2304, TS2591 (also of parts of Node that are imported), and others that tell to install or change something. */
const NAME = /^Cannot find name '([^']+)'\.(?: Do you need to (.*))?/
/** As a name it is that of a global. */
const GLOBALS = new Set(['module', 'process'])

/** `right`: there is no fault. `unchecked`: of a package whose types `npm ci` brings. */
export function inOurWords(
	{ file, line, message }: Said,
	{ files, installed, test }: About,
): BundleFault | 'right' | 'unchecked' {
	const told = (text: string) => fault(file, text, line)
	const [, untyped] = UNTYPED.exec(message) ?? []
	if (untyped !== undefined) return told(withoutTypes(file, untyped))
	const [, name, advice] = NAME.exec(message) ?? []
	if (name !== undefined && test) return 'right'
	if (name !== undefined && (!isBuiltin(name) || GLOBALS.has(name)))
		return told(lacking(name, advice) ?? message)
	const specifier = name ?? MODULE.exec(message)?.[1]
	if (specifier === undefined) return told(message)
	if (test && specifier.startsWith('node:')) return 'right'
	const why = test ? undefined : importFault(specifier, files)
	if (why === undefined && !installed && !/^[./]/.test(specifier)) return 'unchecked'
	return told(why ?? message)
}

function lacking(name: string, advice: string | undefined): string | undefined {
	if (advice === undefined && !LACKING.has(name)) return undefined
	const why = advice?.includes('definitions for node')
		? "it is Node's, and there is no Node in the sandbox that programs run in"
		: 'there is none in the sandbox that programs run in'
	return `Cannot find name '${name}': ${why}${inPlaceOf(name)}`
}

/** The compiler's own words name a file of ours and end before what to do. */
function withoutTypes(file: string, name: string): string {
	const from = '../'.repeat(file.split('/').length - 1) || './'
	const types = name.replace(/^@([^/]+)\/(.*)$/, '$1__$2')
	return `the package "${name}" has no types: npm install --save-dev @types/${types}. Where there are none, write a file ${types}.d.ts with \`declare module '${name}'\`, and begin this file with /// <reference path="${from}${types}.d.ts" />`
}
