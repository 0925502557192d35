// Builds the console for browsers: hashed files, and of each text the forms that a browser may take.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Zod asks whether it may compile schemas with `new Function`, and the policy of the page reports the question. */
const withoutEval = ({ moduleIds }) =>
	moduleIds.some((id) => id.includes('/zod/')) ? '(globalThis.__zod_globalConfig??={}).jitless=true;' : ''

/** What many pages share comes in one file: alone, its parts are of one kilobyte each. */
const common = { name: 'common', test: /console\/(parts|data)\//, minShareCount: 5, maxModuleSize: 10_000 }

export async function buildConsole(root, outDir) {
	await build({
		root: join(root, 'host/console'),
		base: '/console/',
		configFile: false,
		envDir: false,
		logLevel: 'warn',
		publicDir: false,
		oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
		build: {
			outDir,
			emptyOutDir: true,
			target: 'es2023',
			sourcemap: false,
			// Every browser that has WebCrypto's X25519 or Trusted Types preloads modules by itself.
			modulePreload: { polyfill: false },
			// Inlined files would need `data:` addresses in the content security policy.
			assetsInlineLimit: 0,
			reportCompressedSize: false,
			rolldownOptions: { output: { banner: withoutEval, codeSplitting: { groups: [common] } } },
		},
	})
	for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue
		const file = join(entry.parentPath, entry.name)
		const bytes = readFileSync(file)
		writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
		writeFileSync(
			`${file}.br`,
			brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
		)
	}
}
