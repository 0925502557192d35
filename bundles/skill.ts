import { isMap, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { documentNestsTooDeep, TOO_DEEP } from './depth.ts'
import { type BundleFault, fault, pointerOf } from './fault.ts'

/** A skill in the open Agent Skills layout. */
export interface Skill {
	name: string
	description: string
	/** SKILL.md without its front matter. */
	body: string
	/** Texts of `references/`, by path inside the skill's folder. */
	references: Record<string, string>
}

/** Loose, because the layout is shared with other programs that add members of their own. */
const frontMatter = z.looseObject({
	name: z
		.string()
		.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be a–z, 0–9 and single hyphens')
		.max(64),
	description: z.string().min(1).max(1024),
})

/** Reads `SKILL.md`. `folder`: the skill's folder, whose name must be the skill's. */
export function parseSkill(
	file: string,
	folder: string,
	text: string,
): { skill: Omit<Skill, 'references'> | null; faults: BundleFault[] } {
	const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text)
	if (!match)
		return {
			skill: null,
			faults: [fault(file, 'begins with no front matter (---, name, description, ---)', 1)],
		}
	const [, head = '', body = ''] = match
	const lines = new LineCounter()
	const document = parseDocument(head, { lineCounter: lines, prettyErrors: false })
	if (documentNestsTooDeep(document)) return { skill: null, faults: [fault(file, TOO_DEEP)] }
	// Line 1 is the opening `---`.
	const lineAt = (offset: number) => lines.linePos(offset).line + 1
	const syntax = [...document.errors, ...document.warnings]
	if (syntax.length > 0)
		return { skill: null, faults: syntax.map((error) => fault(file, error.message, lineAt(error.pos[0]))) }
	const lineOf = (member: PropertyKey | undefined) => {
		const pair = isMap(document.contents)
			? document.contents.items.find(({ key }) => String(key) === String(member))
			: undefined
		return lineAt((pair?.key as { range?: number[] } | undefined)?.range?.[0] ?? 0)
	}
	const parsed = frontMatter.safeParse(document.toJS())
	if (!parsed.success) {
		const faults = parsed.error.issues.map(({ path, message }) =>
			fault(file, message, lineOf(path[0]), pointerOf(path)),
		)
		return { skill: null, faults }
	}
	const { name, description } = parsed.data
	const faults =
		name === folder
			? []
			: [fault(file, `the skill is named "${name}", its folder "${folder}"`, lineOf('name'), '/name')]
	return { skill: { name, description, body: body.trim() }, faults }
}
