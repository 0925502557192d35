/** A light stemmer: enough to join plays, played, playing; cities, city. Other scripts pass unchanged. */
const cache = new Map<string, string>()
const CACHE_LIMIT = 50_000

export function stem(word: string): string {
	if (word.length < 4) return word
	let found = cache.get(word)
	if (found === undefined) {
		found = cut(word)
		if (cache.size > CACHE_LIMIT) cache.clear()
		cache.set(word, found)
	}
	return found
}

function cut(word: string): string {
	let w = word.endsWith("'s") ? word.slice(0, -2) : word
	if (w.length > 4 && w.endsWith('ies')) w = `${w.slice(0, -3)}y`
	else if (w.length > 4 && w.endsWith('sses')) w = w.slice(0, -2)
	else if (w.length > 3 && w.endsWith('s') && !w.endsWith('ss') && !w.endsWith('us') && !w.endsWith('is'))
		w = w.slice(0, -1)
	if (w.length > 5 && w.endsWith('ing')) w = undouble(w.slice(0, -3))
	else if (w.length > 4 && w.endsWith('ied')) w = `${w.slice(0, -3)}y`
	else if (w.length > 4 && w.endsWith('ed')) w = undouble(w.slice(0, -2))
	else if (w.length > 5 && w.endsWith('ly')) w = w.slice(0, -2)
	if (w.length > 4 && w.endsWith('e')) w = w.slice(0, -1)
	return w
}

function undouble(w: string): string {
	const last = w.charCodeAt(w.length - 1)
	return w.length > 3 && last === w.charCodeAt(w.length - 2) && last !== 108 && last !== 115
		? w.slice(0, -1)
		: w
}
