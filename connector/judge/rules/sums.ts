/** Totals, discounts and factors as arithmetic: "net 100, VAT 19" is a total of 119. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { NUMBER_WORDS } from './words.ts'

const TOTAL =
	/\b(?:total|sum|in all|altogether|gesamt\p{L}*|summe|insgesamt|totale|somme|suma|totaal|итого|toplam|razem|suma)\b/u
const OF_A_BILL =
	/\b(?:net|netto|neto|vat|tax|taxes|mwst|ust|tva|iva|btw|ндс|kdv|vergi|shipping|delivery|versand|subtotal)\b/u
const LESS =
	/\b(?:discount|saved?|saving|reduc\p{L}+|cheaper|rabatt|gespart|gunstiger|remise|descuento|sconto|desconto|korting)\b/u
const BEFORE_AND_NOW =
	/\b(?:was|before|instead of|old price|regular|from|statt|vorher|avant|antes|prima|van)\b.*\b(?:now|only|new price|to|jetzt|nur|maintenant|ahora|ora|agora|voor)\b|^(?:from )?[^\d]*\d[^\d]* (?:instead of|statt|au lieu de|en lugar de|invece di) /u
const FACTORS: [RegExp, number][] = [
	[/\b(?:halved|half of what|halbiert|reduit de moitie|a la mitad|dimezzat\p{L}*)\b/u, 0.5],
	[/\b(?:doubled|twice as|verdoppelt|double|duplic\p{L}+|raddoppiat\p{L}*|verdubbeld)\b/u, 2],
	[/\b(?:tripled|trebled|verdreifacht|triple|triplicad\p{L}*|triplicat\p{L}*)\b/u, 3],
]
const LONGEST_UNITS = 300
const MOST_AMOUNTS = 8
const NEAR = 0.005

export function sumSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (claim.length > LONGEST_UNITS || evidence.length > LONGEST_UNITS) return 0
	const [said, given] = [fold(claim).text, fold(evidence).text]
	if (/\b(?:not|nicht|no|pas|non)\b|n't\b/.test(said)) return 0
	const amounts = amountsIn(given)
	if (amounts.length < 2 || amounts.length > MOST_AMOUNTS) return 0
	const wanted = amountsIn(said)
	if (BEFORE_AND_NOW.test(given) && amounts.length === 2) {
		const [before, now] = amounts as [number, number]
		const factor = FACTORS.find(([pattern]) => pattern.test(said))?.[1]
		if (factor !== undefined && !wanted.length) return isNear(now, before * factor) ? 1 : -1
		if (LESS.test(said) && wanted.length === 1 && !said.includes('%'))
			return isNear(wanted[0]!, Math.abs(before - now)) ? 1 : -1
	}
	if (!TOTAL.test(said) || wanted.length !== 1 || TOTAL.test(given)) return 0
	const sum = amounts.reduce((all, one) => all + one, 0)
	if (isNear(wanted[0]!, sum)) return 1
	return OF_A_BILL.test(given) && amounts.length === 2 ? -1 : 0
}

const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= NEAR

/** Without shares: "19%" is no amount. */
function amountsIn(text: string): number[] {
	const spelled = text.replace(/\p{L}+/gu, (word) => String(NUMBER_WORDS.get(word) ?? word))
	return [
		...spelled.matchAll(/(?<![\p{L}\d])\d+(?:[.,]\d+)*(?!\d| ?(?:%|percent|prozent|per cent)|[.,]?\d)/gu),
	].map(([number]) => Number(number.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.')))
}
