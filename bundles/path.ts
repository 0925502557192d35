const SEGMENT_MAX_BYTES = 255
const PATH_MAX_BYTES = 1024

/** Why a name may not stand in a bundle, or null. The rules hold on every file system, so that a bundle opens on each. */
export function pathFault(path: string): string | null {
	if (path === '') return 'a file has no name'
	if (/^[/\\]|^[A-Za-z]:/.test(path)) return 'the path is absolute'
	if (path.includes('\\')) return 'the path holds a backslash'
	if (!path.isWellFormed()) return 'the path is not valid Unicode'
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	if (/[\u0000-\u001f\u007f:*?"<>|]/.test(path))
		return 'the path holds a character that not every file system takes'
	const hidden = hiddenCharacter(path.replaceAll(JOINERS, ''))
	if (hidden) return `the path holds ${hidden}`
	const segments = path.split('/')
	if (segments.includes('..')) return 'the path leads out of its folder (`..`)'
	if (segments.some((part) => part === '' || part === '.')) return 'the path has an empty or `.` segment'
	if (segments.some((part) => /[. ]$/.test(part))) return 'a segment of the path ends with a dot or a space'
	if (segments.some((part) => Buffer.byteLength(part) > SEGMENT_MAX_BYTES))
		return `a segment is over ${SEGMENT_MAX_BYTES} bytes`
	if (Buffer.byteLength(path) > PATH_MAX_BYTES) return `the path is over ${PATH_MAX_BYTES} bytes`
	return null
}

/** Persian, Indic scripts and emoji are spelled with these two; the names of two files may not differ by them alone. */
const JOINERS = /[\u200c\u200d]/g
/** Characters that are not seen, or that turn the order of others: what is read is not what is there. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u

/** The first such character, in words; null where there is none. */
export function hiddenCharacter(text: string): string | null {
	const code = HIDDEN.exec(text)?.[0].codePointAt(0)
	if (code === undefined) return null
	return `a control, invisible or direction-changing character (U+${code.toString(16).toUpperCase().padStart(4, '0')})`
}

/** Names that would be one file on a file system that ignores case or normalises Unicode, or that look the same. */
export function collisionKey(path: string): string {
	return path.replaceAll(JOINERS, '').normalize('NFC').toLowerCase().normalize('NFC')
}
