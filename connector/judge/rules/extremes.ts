/** "Which is cheaper?": each option has one number in the clause that names it, and the question says which end counts. */
import type { Asked } from './asked.ts'

const MOST =
	/\b(?:bigger|biggest|larger|largest|longer|longest|heavier|heaviest|taller|tallest|higher|highest|more expensive|most expensive|dearer|dearest|later|latest|newer|newest|younger|youngest|wider|widest|hotter|hottest|warmer|warmest|more|most|last|teurer|teuerste[rns]?|grosser|grosste[rns]?|langer|langste[rns]?|schwerer|hoher|hochste[rns]?|spater|neuer|junger|plus (?:cher|chere|grand|grande|long|longue|lourd|lourde|haut|haute|tard|jeune)|mas (?:caro|cara|grande|largo|larga|pesado|pesada|alto|alta|tarde|joven)|piu (?:caro|cara|grande|lungo|lunga|pesante|alto|alta|tardi|giovane))\b/
const LEAST =
	/\b(?:smaller|smallest|shorter|shortest|lighter|lightest|lower|lowest|cheaper|cheapest|earlier|earliest|older|oldest|colder|coldest|less|least|fewer|fewest|first|billiger|billigste[rns]?|gunstiger|gunstigste[rns]?|kleiner|kleinste[rns]?|kurzer|leichter|fruher|niedriger|alter|alteste[rns]?|moins cher|moins chere|plus (?:petit|petite|court|courte|leger|legere|bas|basse|tot|age|agee|vieux)|mas (?:barato|barata|pequeno|pequena|corto|ligero|temprano|viejo|vieja)|piu (?:economico|economica|piccolo|piccola|corto|leggero|presto|vecchio|vecchia))\b/
const OF_AGE =
	/\b(?:older|oldest|younger|youngest|alter|alteste|junger|jungste|age|agee|jeune|vieux|joven|viejo|giovane|vecchio)\b/
const NUMBER = /\d{1,2}:\d{2}|\d+(?:[.,]\d+)*/g
const [FIRST_YEAR, LAST_YEAR] = [1500, 2100]

export function extremeOf({ question, options, clauses, named }: Asked): number {
	const [most, least] = [MOST.test(question), LEAST.test(question)]
	if (most === least) return -1
	const values = options.map((option, i) => numberAt(option, named[i]!, clauses))
	if (values.some((value) => value === null)) return -1
	const list = values as number[]
	const years = list.every((value) => value >= FIRST_YEAR && value <= LAST_YEAR)
	// Who is born later is younger, and who has more years is older.
	const up = OF_AGE.test(question) && !years ? !most : most
	const end = up ? Math.max(...list) : Math.min(...list)
	return list.filter((value) => value === end).length === 1 ? list.indexOf(end) : -1
}

/** The one number of the one clause that names it, or of the clause behind. */
function numberAt(option: string, places: readonly number[], clauses: readonly string[]): number | null {
	if (places.length !== 1) return null
	const at = clauses[places[0]!]!.indexOf(option)
	const clause = clauses[places[0]!]!
	const found = `${clause.slice(0, at)} ${clause.slice(at + option.length)}`.match(NUMBER) ?? []
	return found.length === 1 ? numberOf(found[0]!) : null
}

function numberOf(text: string): number {
	if (text.includes(':')) {
		const [hours, minutes] = text.split(':')
		return Number(hours) * 60 + Number(minutes)
	}
	return Number(text.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.'))
}
