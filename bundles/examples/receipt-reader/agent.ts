import { agent, type Context, type FileRef } from 'berth'

interface Receipt {
	merchant: string
	date: string
	cents: number
	currency: string
}

const schema = {
	type: 'object',
	required: ['merchant', 'date', 'cents', 'currency'],
	additionalProperties: false,
	properties: {
		merchant: { type: 'string' },
		date: { type: 'string', description: 'YYYY-MM-DD' },
		cents: { type: 'integer', description: 'The sum in cents.' },
		currency: { type: 'string', description: 'Three letters, such as EUR.' },
	},
}

/** The model reads one receipt at a time; code adds them up, so that the sum is right. */
export default agent<{ receipts: FileRef[] }>(async ({ receipts }, ctx) => {
	const read = await Promise.all(receipts.map((file) => readOne(ctx, file)))
	const rows = [
		['file', 'date', 'merchant', 'amount'],
		...read.map((receipt, i) => [receipts[i]?.name ?? '', receipt.date, receipt.merchant, amount(receipt)]),
	]
	const csv = rows.map((row) => `${row.map(cell).join(',')}\n`).join('')
	return { total: totals(read), table: await ctx.files.create('receipts.csv', 'text/csv', csv) }
})

async function readOne(ctx: Context, file: FileRef): Promise<Receipt> {
	const question = { role: 'user' as const, content: 'Read this receipt.', files: [file] }
	const { output } = await ctx.model([question], { output: schema })
	return output as unknown as Receipt
}

const amount = ({ cents, currency }: Receipt) => `${(cents / 100).toFixed(2)} ${currency}`

function totals(receipts: Receipt[]): string {
	const sums = new Map<string, number>()
	for (const { currency, cents } of receipts) sums.set(currency, (sums.get(currency) ?? 0) + cents)
	return [...sums]
		.map(([currency, cents]) => amount({ merchant: '', date: '', cents, currency }))
		.join(' and ')
}

/** A table program takes text that begins like a formula for one. */
function cell(text: string): string {
	const safe = /^[=+\-@]/.test(text) ? `'${text}` : text
	return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
