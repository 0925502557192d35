/**
 * Late or in time: of a text that gives the day by which something is due and the day on which it came. 1 holds, −1 does
 * not, 0 unknown.
 */
import { fold } from '../text/fold.ts'
import { type Quantity, quantities } from './quantities.ts'

const LATE =
	/\b(?:late|overdue|too late|behind schedule|missed (?:the|its|his|her|their) deadline|after the (?:deadline|due date)|verspatet|zu spat|mit verspatung|uberfallig|en retard|tarde|con retraso|atrasad[oa]|com atraso|in ritardo|te laat|с опозданием)\b/u
const IN_TIME =
	/\b(?:on time|in time|punctual(?:ly)?|(?:before|by|within|met) the deadline|not overdue|punktlich|rechtzeitig|a l'heure|a temps|a tiempo|puntual(?:e|mente)?|in orario|in tempo|a tempo|op tijd|вовремя)\b/u
const DUE =
	/\b(?:due|payable|by|before|until|till|no later than|deadline|promised|planned|scheduled|expected|agreed|bis|fallig|zahlbar|spatestens|vereinbart|geplant|avant|echeance|prevue?|au plus tard|antes|vencimiento|vence|previst[oa]|a mas tardar|entro|scadenza|uiterlijk|voor|gepland|ate|prazo|до|срок)\b/u
const CAME =
	/\b(?:paid|received|receipt|payment|arriv\p{L}*|delivered|returned|submitted|handed in|sent|actual\p{L}*|today|landed|came|finished|completed|gezahlt|bezahlt|eingegangen|eingang|geliefert|angekommen|heute|recu\p{L}*|paye\p{L}*|paiement|livre\p{L}*|aujourd'hui|recibid[oa]|pagad[oa]|pago|llego|entregad[oa]|hoy|ricevut[oa]|pagat[oa]|pagamento|arrivat[oa]|consegnat[oa]|oggi|ontvangen|betaald|betaling|geleverd|aangekomen|vandaag|получен\p{L}*|оплачен\p{L}*|сегодня)\b/gu
const DENIES = /\b(?:not|never|nicht|pas|no|non|niet|nao|не)\b|n't\b/u
const LONGEST_UNITS = 400

export function dueSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const said = fold(claim).text
	const [late, inTime] = [LATE.test(said), IN_TIME.test(said)]
	if (late === inTime) return 0
	const days = quantities(evidence).filter(({ kind, value }) => kind === 'date' && value % 100 > 0)
	const [due, came] = (['due', 'came'] as const).map((kind) =>
		days.filter((day, i) => kindOf(evidence, day, days[i - 1]) === kind),
	)
	if (due?.length !== 1 || came?.length !== 1) return 0
	const [by, on] = withoutYears(due[0]!.value, came[0]!.value)
	const wasLate = on > by
	return (wasLate === late) !== (DENIES.test(said) && !/not overdue/.test(said)) ? 1 : -1
}

/** What stands before the day, from the end of the day before on: the word nearest to it tells. */
function kindOf(
	evidence: string,
	{ start, end }: Quantity,
	before: Quantity | undefined,
): 'due' | 'came' | '' {
	const text = fold(evidence.slice(before?.end ?? 0, start)).text
	const sentence = text.split(/[.;\n]\s/).at(-1)!
	const behind = fold(evidence.slice(end, end + REACH_UNITS)).text.split(/[.;,\n]/)[0]!
	const came = [...sentence.matchAll(CAME)].length > 0
	// "Paid by 3 May" is a day on which it came only where nothing else says when it was due.
	if (DUE.test(sentence) && !came) return 'due'
	if (came || [...behind.matchAll(CAME)].length > 0) return 'came'
	return ''
}

const REACH_UNITS = 30

/** A year that one of the two leaves out is that of the other. */
function withoutYears(one: number, other: number): [number, number] {
	return Math.min(one, other) >= 10_000 ? [one, other] : [one % 10_000, other % 10_000]
}
