/** "Who wrote the mail?" of a text with the lines "From:" and "To:". */
import { type Asked, hasWord } from './asked.ts'

const LINES: [asked: RegExp, line: RegExp][] = [
	[
		/^(?:who (?:wrote|sent|is it from|is the \p{L}+ from|is the (?:sender|author))|from whom|wer (?:schrieb|hat .* geschrieben|ist der absender)|qui a ecrit|quien (?:escribio|envio)|chi ha scritto)/u,
		/^(?:from|von|de|da|van|от|sent by|gesendet von): *(.+)$/mu,
	],
	[
		/^(?:who (?:is|was) (?:it|the \p{L}+) (?:for|to|sent to|addressed to)|who (?:gets|received|is the (?:recipient|addressee))|to whom|an wen|wer ist der empfanger|a qui|a quien|a chi)/u,
		/^(?:to|an|a|para|aan|кому): *(.+)$/mu,
	],
]

export function headerOf({ question, options, text }: Asked): number {
	const line = LINES.find(([asked]) => asked.test(question))?.[1].exec(text)?.[1]
	if (!line) return -1
	const named = options.flatMap((option, i) => (hasWord(line, option) ? [i] : []))
	return named.length === 1 ? named[0]! : -1
}
