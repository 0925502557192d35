/**
 * Products of matrices in WebAssembly: one function of sixteen-bit numbers, four rows by two columns at a time, the sum
 * in 32 bits. Whole numbers only, so that every machine gives the same. The module is put together here: nothing else
 * of the judge is compiled, and no compiler is needed to build it.
 */

const [BLOCK, LOOP, BR_IF, END, GET, SET, CONST, ADD, MUL, LESS, STORE] = [
	0x02, 0x03, 0x0d, 0x0b, 0x20, 0x21, 0x41, 0x6a, 0x6c, 0x49, 0x36,
] as const
const VOID = 0x40
const I32 = 0x7f
const V128 = 0x7b
const LOAD_16_BYTES = [0xfd, 0x00, 0x00, 0x00]
const LANE = (lane: number) => [0xfd, 0x1b, lane]
const ADD_LANES = [0xfd, 0xae, 0x01]
const DOT = [0xfd, 0xba, 0x01]
const ZERO = [0xfd, 0x0c, ...Array<number>(16).fill(0)]

export const ROWS = 4
const COLUMNS = 2
const REGISTER_BYTES = 16

// Parameters, then what the function keeps: places in bytes, and registers.
const [X, W, OUT, COUNT, WIDTH, DEPTH, ROW, COLUMN, AT, X_AT, W_AT] = [
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const
const SUMS = 11
const INPUTS = SUMS + ROWS * COLUMNS
const WEIGHT = INPUTS + ROWS

const get = (local: number) => [GET, local]
const set = (local: number) => [SET, local]
const number = (value: number) => [CONST, ...signed(value)]
const plus = (local: number, value: number[]) => [...get(local), ...value, ADD, ...set(local)]
/** DEPTH is given in bytes. */
const rowOf = (base: number, row: number[]) => [...get(base), ...row, ...get(DEPTH), MUL, ADD]
const times = <T>(count: number, each: (i: number) => T[]): T[] =>
	Array.from({ length: count }, (_, i) => each(i)).flat()

const repeat = (counter: number, end: number, step: number, body: number[]) => [
	...number(0),
	...set(counter),
	LOOP,
	VOID,
	...body,
	...plus(counter, number(step)),
	...get(counter),
	...get(end),
	LESS,
	BR_IF,
	0,
	END,
]

const inner = [
	...times(ROWS, (i) => [
		...get(X_AT),
		...get(AT),
		ADD,
		...number(i),
		...get(DEPTH),
		MUL,
		ADD,
		...LOAD_16_BYTES,
		...set(INPUTS + i),
	]),
	...times(COLUMNS, (j) => [
		...get(W_AT),
		...get(AT),
		ADD,
		...(j ? [...get(DEPTH), ADD] : []),
		...LOAD_16_BYTES,
		...set(WEIGHT),
		...times(ROWS, (i) => [
			...get(INPUTS + i),
			...get(WEIGHT),
			...DOT,
			...get(SUMS + i * COLUMNS + j),
			...ADD_LANES,
			...set(SUMS + i * COLUMNS + j),
		]),
	]),
]

const lanesOf = (local: number) => times(4, (lane) => [...get(local), ...LANE(lane), ...(lane ? [ADD] : [])])

/** Where OUT has row ROW + i, column COLUMN + j. */
const place = (i: number, j: number) => [
	...get(OUT),
	...get(ROW),
	...number(i),
	ADD,
	...get(WIDTH),
	MUL,
	...get(COLUMN),
	ADD,
	...number(j),
	ADD,
	...number(4),
	MUL,
	ADD,
]

const body = repeat(COLUMN, WIDTH, COLUMNS, [
	...rowOf(W, get(COLUMN)),
	...set(W_AT),
	...repeat(ROW, COUNT, ROWS, [
		...rowOf(X, get(ROW)),
		...set(X_AT),
		...times(ROWS * COLUMNS, (k) => [...ZERO, ...set(SUMS + k)]),
		...repeat(AT, DEPTH, REGISTER_BYTES, inner),
		...times(ROWS, (i) =>
			times(COLUMNS, (j) => [...place(i, j), ...lanesOf(SUMS + i * COLUMNS + j), STORE, 2, 0]),
		),
	]),
])

const code = [2, 5, I32, ROWS * COLUMNS + ROWS + 1, V128, BLOCK, VOID, ...body, END, END]
const name = (text: string) => [text.length, ...Buffer.from(text)]
const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content]

const bytes = Uint8Array.from([
	...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
	...section(1, [1, 0x60, 6, I32, I32, I32, I32, I32, I32, 0]),
	...section(2, [1, ...name('judge'), ...name('memory'), 2, 0, 1]),
	...section(3, [1, 0]),
	...section(7, [1, ...name('multiply'), 0, 0]),
	...section(10, [1, ...unsigned(code.length), ...code]),
])

export type Multiply = (
	x: number,
	w: number,
	out: number,
	rows: number,
	width: number,
	depthBytes: number,
) => void

/** Depth and width must be whole registers and pairs, and rows a multiple of ROWS; the depth is given in bytes. */
export function kernel(memory: WebAssembly.Memory): Multiply {
	const module = new WebAssembly.Module(bytes)
	return new WebAssembly.Instance(module, { judge: { memory } }).exports.multiply as Multiply
}

function unsigned(value: number): number[] {
	const low = value & 0x7f
	return value >> 7 ? [low | 0x80, ...unsigned(value >> 7)] : [low]
}

function signed(value: number): number[] {
	return value < 64 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
