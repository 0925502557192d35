/** English verbs whose past forms are not made by an ending. */
import { stem } from './stem.ts'

/** Base and its other past forms; one that is spelled like its base needs no entry. */
const FORMS =
	'arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bind bound|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|do did done does|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grind ground|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt|leave left|lend lent|lie lay lain|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|overcome overcame|overtake overtook overtaken|pay paid|prove proven|repay repaid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun|spoil spoilt|stand stood|steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|undertake undertook undertaken|undo undid undone|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|wind wound|withdraw withdrew withdrawn|withhold withheld|write wrote written|rewrite rewrote rewritten'

const BASES = new Map(
	FORMS.split('|').flatMap((line) => {
		const [base, ...past] = line.split(' ')
		return past.map((form) => [form, base!] as const)
	}),
)

/** What all forms of a verb have in common. */
export const verbRoot = (word: string): string => stem(BASES.get(word) ?? word).replace(/e$/, '')
export const isPast = (word: string): boolean => BASES.has(word) || word.endsWith('ed')
