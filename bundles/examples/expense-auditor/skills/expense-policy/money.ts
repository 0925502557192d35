/** Amounts in whole cents of the accounting currency; sums of decimals in binary floating point are not for auditors. */
export type Cents = number

/** The month's accounting rates: euro cents for one unit. */
const rates: Record<string, number> = { EUR: 100, USD: 92, GBP: 117, CHF: 105, SEK: 8.8 }

/** Reads "1.234,50 EUR", "EUR 1,234.50", "42.1 usd"; null where it is ambiguous or unknown. */
export function parseAmount(text: string): Cents | null {
	const match = /^\s*([A-Za-z]{3})?\s*(-?[\d.,' ]*\d)\s*([A-Za-z]{3})?\s*$/.exec(text)
	const currency = (match?.[1] ?? match?.[3] ?? '').toUpperCase()
	const rate = rates[currency]
	if (!match?.[2] || rate === undefined || (match[1] && match[3])) return null
	const digits = match[2].replace(/[' ]/g, '')
	const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
	const fraction = last < 0 ? '' : digits.slice(last + 1)
	// One separator with three digits behind it could be thousands or a fraction: a person must look.
	if (fraction.length === 3 && digits.replace(/\D/g, '').length > 3 && digits.match(/[.,]/g)?.length === 1)
		return null
	const whole = (last < 0 || fraction.length > 2 ? digits : digits.slice(0, last)).replace(/[.,]/g, '')
	const amount = Number(`${whole}.${fraction.length > 2 ? '' : fraction || '0'}`)
	return Number.isFinite(amount) ? Math.round(amount * rate) : null
}

export function formatCents(cents: Cents): string {
	return `${(cents / 100).toFixed(2)} EUR`
}
