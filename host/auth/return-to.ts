/** Where a visitor wanted to go, after signing in: a path of this site, or the console for anything else. */
export function returnTo(baseUrl: string, wanted: string | undefined): string {
	// Printable ASCII without a backslash: browsers read that as a slash, and skip tabs and line ends.
	if (!wanted || wanted.length > wantedMax || !/^\/[!-[\]-~]*$/.test(wanted)) return '/'
	const url = URL.parse(wanted, baseUrl)
	if (!url || url.origin !== new URL(baseUrl).origin) return '/'
	// `/.//evil.example` is a path of this site that would lead to another.
	return url.pathname.startsWith('//') ? '/' : url.pathname + url.search + url.hash
}

/** In characters: it also travels in a cookie, which holds 4 KiB at most. */
const wantedMax = 1_000
