import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../host/db/migrations')

/**
 * SHA-256 of every migration that has landed. Databases out there have applied exactly these texts. A line is added with a
 * new migration (`npm run generate` makes it), and is never changed: an edited migration locks its users out.
 */
const landed: Record<string, string> = {
	'0000_init': 'e6457fdf771242be772bba1bb4677a582a23461e2890fb94aea2f112d9b37242',
	'0001_runs_failed': 'ea96f8215bc9124d3f6bd38dac43b4b4ded871492e9ef8403d367eb6959f4f60',
	'0002_unpriced': '05a4d1d39cbf8d62a0f1ed349ba7a4594a31a47d6893991c244c1043c1d17f9a',
	'0003_missing_scope': 'd353512d9fddf83778a164dccab9c7c30cf2344f5b31a80624d36cf755222012',
	'0004_refusals': '60332994a902af8941996d12e43298ff065e98b936728979d70d938d6efa0a01',
	'0005_approval_content': '99d7dce1ad3e44799f70da9160a058cb1d963e62c1b989e0452ae804c7adaad3',
	'0006_console': '5688182daee710c226e19eec1e862f7d14400bf1a96003dcdb5e64e5fec1638b',
	'0007_openid_subjects': '572365a45abe7a882b001b23c26ad24c98e091c0be150dde6fa77bf051ed2e40',
	'0008_runs_depth': '6aad0f0ef9ef14b1278316007f219d1f2f86f476b6d2057cd52f89119dc52ecc',
	'0009_places': '6c2f5ceca5a5c68a7a01a6c2e3319900b7e2fb9e4e31cb1aacbf9c404976177a',
	'0010_retention': 'bf1e6c6b639124a2e18f56faada8f2764d5b91c1502fcada71fcaaf2f62c4852',
	'0011_deliveries_place': 'ca56666c486d07bfb07f5ad50d757488c3e1715eae04bb85ce129ae261ece548',
	'0012_traceparent': '63a21dabfb405437c248010363c8758f5078a21723616e89a162ea4730534270',
	'0013_alerts': '74a2665e1296ef1bc1926dd409a55824dae8ae7642792a66331bae81d663cd46',
	'0014_files': '6130e20c43552364a69da8377d745b22715a3c9ebf87b65d3e9208c7a82c9bec',
	'0015_master_keys': '5925d91a307293c8eafe91da44314fcde3fd5d453d72a01930b95da5acef2e00',
	'0016_runs_allowance': '30dc5e4fe85d4f57b8bb8e520bb50bded697cd05ffd42ab3e485fbbd67c77c9d',
	'0017_citations': 'd6566da256e8ed5ac1e2be6c3eb1d949f6b82d39e878d5b8bbaa156e26feed73',
}

// Proves: start.migrations-fixed
test('a landed migration is never edited, and a new one is written down here', () => {
	const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
	const digests = files.map((name) => [
		name.replace('.sql', ''),
		createHash('sha256')
			.update(readFileSync(join(folder, name)))
			.digest('hex'),
	])
	expect(Object.fromEntries(digests)).toEqual(landed)
})

// Proves: start.migrations-fixed
test('the journal names the landed migrations in the order of their time', () => {
	const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
		entries: { tag: string; when: number }[]
	}
	expect(entries.map(({ tag }) => tag)).toEqual(Object.keys(landed))
	expect(entries.map(({ when }) => when)).toEqual(entries.map(({ when }) => when).toSorted((a, b) => a - b))
})
