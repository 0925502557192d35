/** As much of Markdown as the pages use. */

export interface Page {
	/** Path from the root. */
	path: string
	text: string
	/** Texts between backticks, outside of fences. */
	codes: string[]
	/** Lines inside of fences. */
	fenced: string[]
	/** Targets of links. */
	links: string[]
	/** Of its headings, as GitHub makes them. */
	anchors: Set<string>
	sentences: string[]
}

const inline = /`([^`\n]+)`/g
const link = /\[([^\]]*)\]\(([^)\s]+)\)/g

export function parsePage(path: string, text: string): Page {
	const fenced: string[] = []
	const prose = text.replace(/^```.*\n([\s\S]*?)^```$/gm, (_whole, code: string) => {
		fenced.push(...code.split('\n'))
		return '\n'
	})
	const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
	return {
		path,
		text,
		codes: [...prose.matchAll(inline)].map(([, code = '']) => code),
		fenced,
		links: [...prose.replace(inline, 'code').matchAll(link)].map(([, , target = '']) => target),
		anchors: new Set(headings.map(slug)),
		sentences: sentencesOf(prose),
	}
}

const slug = (heading: string) =>
	heading
		.replace(link, '$1')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.trim()
		.replace(/\s/g, '-')

/** A paragraph, a list item, a heading and a table's cell each end a sentence. */
function sentencesOf(prose: string): string[] {
	return prose
		.replace(/<!--[\s\S]*?-->/g, '')
		.replace(inline, 'code')
		.replace(link, '$1')
		.replace(/^\|(.*)\|$/gm, (_whole, cells: string) => `\n${cells.replaceAll('|', '\n\n')}\n`)
		.replace(/^(?=(?:[-*]|\d+\.|#+) )/gm, '\n')
		.split(/\n\s*\n/)
		.flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?]["*)]*) /))
		.filter((sentence) => sentence.trim() !== '')
}

export const wordsOf = (sentence: string) => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word))
