import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'

const receipt = (merchant: string, cents: number) =>
	JSON.stringify({ merchant, date: '2026-11-20', cents, currency: 'EUR' })
const photo = (name: string) => ({ name, type: 'image/png', data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) })

test('adds receipts up and answers with a table', async () => {
	const { output, files, requests } = await run(
		{ receipts: [photo('a.png'), photo('b.png')] },
		{ model: script([receipt('Café', 1250), receipt('=Inn, "Old"', 2920)]) },
	)
	assert.equal(output.total, '41.70 EUR')
	assert.equal(output.table.name, 'receipts.csv')
	assert.equal(requests[0]?.messages[0]?.role, 'user')
	const table = new TextDecoder().decode(files['receipts.csv'])
	assert.equal(
		table,
		`file,date,merchant,amount\na.png,2026-11-20,Café,12.50 EUR\nb.png,2026-11-20,"'=Inn, ""Old""",29.20 EUR\n`,
	)
})
