const PLACES = 6
/** Cents at least; no zeros after them. */
const ZEROS = /0{1,4}$/

/** US dollars, as exactly as a few model calls cost. */
export function usdText(usd: number): string {
	const text = usd.toFixed(PLACES).replace(ZEROS, '')
	return usd > 0 && Number(text) === 0 ? `<${10 ** -PLACES}` : text
}
