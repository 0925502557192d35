import { z } from 'zod'
import { type BundleFault, FAULTS_MAX, fault, pointerOf } from './fault.ts'
import { plainWords } from './words.ts'
import { lineOfMember, readYaml } from './yaml.ts'

const SKILL_MAX_BYTES = 1024 * 1024
const HEAD_MAX_BYTES = 16 * 1024

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
	if (Buffer.byteLength(text) > SKILL_MAX_BYTES)
		return { skill: null, faults: [fault(file, `is over ${SKILL_MAX_BYTES / 1024 / 1024} MiB`)] }
	const match = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text)
	if (!match)
		return {
			skill: null,
			faults: [fault(file, 'begins with no front matter (---, name, description, ---)', 1)],
		}
	const [, head = '', body = ''] = match
	// Line 1 is the opening `---`.
	const yaml = readYaml(file, head, HEAD_MAX_BYTES, 2)
	if (yaml.faults.length > 0) return { skill: null, faults: yaml.faults }
	const lineOf = (member: PropertyKey | undefined) => lineOfMember(yaml, member) ?? 2
	const parsed = frontMatter.safeParse(yaml.document.toJS(), { error: plainWords })
	if (!parsed.success) {
		const faults = parsed.error.issues
			.slice(0, FAULTS_MAX)
			.map(({ path, message }) => fault(file, message, lineOf(path[0]), pointerOf(path)))
		return { skill: null, faults }
	}
	const { name, description } = parsed.data
	const faults =
		name === folder
			? []
			: [fault(file, `the skill is named "${name}", its folder "${folder}"`, lineOf('name'), '/name')]
	return { skill: { name, description, body: body.trim() }, faults }
}
