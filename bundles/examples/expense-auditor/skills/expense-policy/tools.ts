import { tool } from 'berth'
import { type Cents, formatCents, parseAmount } from './money.ts'

interface Line {
	date: string
	merchant: string
	category: 'meal' | 'hotel' | 'travel' | 'supplies' | 'gift' | 'other'
	amount: string
	receipt?: boolean
	guests?: number
}

interface Finding {
	line: number
	rule: 'amount' | 'receipt' | 'limit' | 'gift' | 'duplicate' | 'split' | 'old'
	severity: 'hard' | 'soft'
	reason: string
}

const RECEIPT_FROM: Cents = 25_00
const OLD_DAYS = 90
const DAY_MS = 86_400_000
const limits: Partial<Record<Line['category'], Cents>> = {
	meal: 40_00,
	hotel: 180_00,
	supplies: 150_00,
	gift: 50_00,
}

const lineSchema = {
	type: 'object',
	required: ['date', 'merchant', 'category', 'amount'],
	properties: {
		date: { type: 'string' },
		merchant: { type: 'string' },
		category: { enum: ['meal', 'hotel', 'travel', 'supplies', 'gift', 'other'] },
		amount: { type: 'string' },
		receipt: { type: 'boolean' },
		guests: { type: 'integer', minimum: 0 },
	},
} as const

export const audit_report = tool<{ lines: Line[] }>({
	description:
		'Applies every computable rule of the expense policy to a report: exact total and all findings.',
	input: {
		type: 'object',
		required: ['lines'],
		properties: { lines: { type: 'array', items: lineSchema, minItems: 1 } },
	},
	run: ({ lines }, ctx) => {
		const amounts = lines.map((line) => parseAmount(line.amount))
		const findings = [
			...lines.flatMap((line, index) => single(line, index + 1, amounts[index] ?? null)),
			...duplicates(lines, amounts),
			...splits(lines, amounts),
			...old(lines),
		].sort((a, b) => a.line - b.line)
		const total = amounts.reduce((sum: Cents, amount) => sum + (amount ?? 0), 0)
		ctx.log('info', 'report audited', { lines: lines.length, findings: findings.length })
		return { total: formatCents(total), findings }
	},
})

export const convert = tool<{ amount: string }>({
	description: 'Converts one amount, for example "120 USD", to euro at the accounting rate.',
	input: { type: 'object', required: ['amount'], properties: { amount: { type: 'string' } } },
	run: ({ amount }) => {
		const cents = parseAmount(amount)
		if (cents === null) throw new Error(`"${amount}" cannot be read; write it like "42.10 EUR"`)
		return formatCents(cents)
	},
})

/** A limit counts a person: the employee and the guests. */
function limitOf({ category, guests = 0 }: Line): Cents | null {
	const limit = limits[category]
	if (limit === undefined) return null
	return category === 'meal' ? limit * (1 + guests) : limit
}

function single(line: Line, number: number, amount: Cents | null): Finding[] {
	if (amount === null || amount <= 0) {
		return [
			{
				line: number,
				rule: 'amount',
				severity: 'hard',
				reason: `"${line.amount}" is no positive amount in a known currency`,
			},
		]
	}
	const findings: Finding[] = []
	const limit = limitOf(line)
	if (limit !== null && amount > limit) {
		const over = formatCents(amount - limit)
		findings.push(
			line.category === 'gift'
				? {
						line: number,
						rule: 'gift',
						severity: 'hard',
						reason: `a gift of ${formatCents(amount)}, ${over} over the tax limit`,
					}
				: {
						line: number,
						rule: 'limit',
						severity: 'soft',
						reason: `${line.category}: ${over} over ${formatCents(limit)}`,
					},
		)
	}
	if (amount > RECEIPT_FROM && !line.receipt) {
		findings.push({
			line: number,
			rule: 'receipt',
			severity: 'soft',
			reason: `${formatCents(amount)} without a receipt`,
		})
	}
	return findings
}

const sameMerchant = (a: Line, b: Line) => a.merchant.trim().toLowerCase() === b.merchant.trim().toLowerCase()

function duplicates(lines: Line[], amounts: (Cents | null)[]): Finding[] {
	return lines.flatMap((line, index): Finding[] => {
		const twin = lines.findIndex(
			(other, earlier) =>
				earlier < index &&
				other.date === line.date &&
				amounts[earlier] === amounts[index] &&
				sameMerchant(other, line),
		)
		return twin < 0
			? []
			: [{ line: index + 1, rule: 'duplicate', severity: 'soft', reason: `the same as line ${twin + 1}` }]
	})
}

/** Told once, at the last line of a group. */
function splits(lines: Line[], amounts: (Cents | null)[]): Finding[] {
	return lines.flatMap((line, index): Finding[] => {
		const limit = limitOf(line)
		if (limit === null) return []
		const group = lines.flatMap((other, at) =>
			other.date === line.date && other.category === line.category && sameMerchant(other, line) ? [at] : [],
		)
		const sum = group.reduce((total, at) => total + (amounts[at] ?? 0), 0)
		const alone = group.every((at) => (amounts[at] ?? 0) <= limit)
		if (group.length < 2 || group.at(-1) !== index || !alone || sum <= limit) return []
		const numbers = group.map((at) => at + 1).join(', ')
		return [
			{
				line: index + 1,
				rule: 'split',
				severity: 'soft',
				reason: `lines ${numbers} make ${formatCents(sum)} together`,
			},
		]
	})
}

function old(lines: Line[]): Finding[] {
	const days = lines.map(({ date }) => Date.parse(date) / DAY_MS)
	const newest = Math.max(...days)
	return days.flatMap((day, index): Finding[] =>
		newest - day > OLD_DAYS
			? [
					{
						line: index + 1,
						rule: 'old',
						severity: 'soft',
						reason: `${newest - day} days before the newest line`,
					},
				]
			: [],
	)
}
