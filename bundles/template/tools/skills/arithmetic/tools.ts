import { tool } from 'berth'

const operations = {
	add: (a: number, b: number) => a + b,
	subtract: (a: number, b: number) => a - b,
	multiply: (a: number, b: number) => a * b,
	divide: (a: number, b: number) => a / b,
}

// Each export is a tool; its name is the export's name.
export const calculate = tool<{ operation: keyof typeof operations; a: number; b: number }>({
	description: 'Calculates one operation on two numbers.',
	input: {
		type: 'object',
		required: ['operation', 'a', 'b'],
		additionalProperties: false,
		properties: {
			operation: { enum: Object.keys(operations) },
			a: { type: 'number' },
			b: { type: 'number' },
		},
	},
	run: ({ operation, a, b }) => {
		if (operation === 'divide' && b === 0) throw new Error('there is no division by zero')
		return operations[operation](a, b)
	},
})
