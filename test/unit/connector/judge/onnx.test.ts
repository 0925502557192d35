// The judge `onnx`: cross-encoders of the operator's own, here tiny ones made on the spot.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'
import { readTokenizer, type TokenizerFile } from '../../../../connector/judge/onnx/tokenizer.ts'
import { tinyModel } from './onnx-file.ts'

const dir = mkdtempSync(join(tmpdir(), 'judge-onnx-'))
const { signal } = new AbortController()
let judge: Judge

const WORDS = [
	'[PAD]',
	'[UNK]',
	'[CLS]',
	'[SEP]',
	'good',
	'bad',
	'no',
	'word',
	'##s',
	'ignore',
	'ship',
	'sky',
	'.',
]
const bert = (changes: Partial<TokenizerFile> = {}): TokenizerFile => ({
	model: {
		type: 'WordPiece',
		vocab: Object.fromEntries(WORDS.map((word, i) => [word, i])),
		unk_token: '[UNK]',
		continuing_subword_prefix: '##',
	},
	normalizer: { type: 'BertNormalizer', lowercase: true },
	pre_tokenizer: { type: 'BertPreTokenizer' },
	post_processor: {
		type: 'TemplateProcessing',
		single: [
			{ SpecialToken: { id: '[CLS]', type_id: 0 } },
			{ Sequence: { id: 'A', type_id: 0 } },
			{ SpecialToken: { id: '[SEP]', type_id: 0 } },
		],
		pair: [
			{ SpecialToken: { id: '[CLS]', type_id: 0 } },
			{ Sequence: { id: 'A', type_id: 0 } },
			{ SpecialToken: { id: '[SEP]', type_id: 0 } },
			{ Sequence: { id: 'B', type_id: 1 } },
			{ SpecialToken: { id: '[SEP]', type_id: 1 } },
		],
		special_tokens: { '[CLS]': { ids: [2] }, '[SEP]': { ids: [3] } },
	},
	added_tokens: ['[PAD]', '[CLS]', '[SEP]'].map((content) => ({ content, id: WORDS.indexOf(content) })),
	...changes,
})

function writeModel(name: string, labels: string[], weight: (word: string) => number[]): void {
	mkdirSync(join(dir, name), { recursive: true })
	writeFileSync(join(dir, name, 'tokenizer.json'), JSON.stringify(bert()))
	writeFileSync(join(dir, name, 'model.onnx'), tinyModel(WORDS.map(weight)))
	writeFileSync(
		join(dir, name, 'config.json'),
		JSON.stringify({
			id2label: Object.fromEntries(labels.map((label, i) => [i, label])),
			max_position_embeddings: 64,
		}),
	)
}

beforeAll(async () => {
	// Padding would count in every label if the mask did not hold it back.
	writeModel('nli', ['CONTRADICTION', 'ENTAILMENT', 'NEUTRAL'], (word) =>
		word === 'no' ? [6, 0, 0] : word === 'good' ? [0, 3, 0] : word === '[PAD]' ? [9, 9, 9] : [0, 0, 0.3],
	)
	writeModel('injection', ['SAFE', 'INJECTION'], (word) => (word === 'ignore' ? [0, 5] : [0.2, 0]))
	writeModel('reranker', ['LABEL_0'], (word) => [word === 'ship' ? 2 : -0.5])
	judge = await createJudge({ backends: ['onnx'], dir })
})
afterAll(async () => {
	await judge.close()
	rmSync(dir, { recursive: true, force: true })
})

describe('the judge', () => {
	// Proves: judge.onnx
	test('takes verdicts from the model’s labels by name, with the passage it read', async () => {
		const evidence = ['A good ship. Words words words words.', 'The sky, no sky.']
		const answer = await judge.verify({ claims: ['good ship', 'the sky', 'words'], evidence }, signal)
		expect(answer.results.map(({ verdict }) => verdict)).toEqual(['verified', 'contradicted', 'unsupported'])
		const { source, start, end } = answer.results[0]!.evidence!
		expect(evidence[source]!.slice(start, end)).toBe('A good ship.')
		expect(answer.judge).toEqual({ backend: 'onnx', calibration: 'onnx-raw' })
	})

	// Proves: judge.onnx
	test('screens a long text in windows and points at the one that is bad', async () => {
		const text = `${'A good word. '.repeat(60)}Ignore words. ${'A good word. '.repeat(60)}`
		const { injection, substance } = await judge.screen({ text }, signal)
		expect(injection.flagged).toBe(true)
		for (const { start, end } of injection.spans) expect(text.slice(start, end)).toContain('Ignore')
		expect(injection.spans.length).toBeGreaterThan(0)
		expect(substance.reason).not.toBe('')
	})

	// Proves: judge.onnx
	test('ranks candidates and options in batches of unlike length', async () => {
		const candidates = Array.from({ length: 40 }, (_, i) =>
			i === 23 ? 'ship ship' : 'word '.repeat(1 + (i % 9)),
		)
		const { scores } = await judge.find({ query: 'sky', candidates }, signal)
		expect(scores.indexOf(Math.max(...scores))).toBe(23)
		const choice = await judge.choice({ question: 'which', options: ['word', 'ship'] }, signal)
		expect(choice.probabilities[1]).toBeGreaterThan(0.8)
	})

	// Proves: judge.onnx
	test('leaves to the built-in judge what it has no model for', async () => {
		const score = await judge.score({ question: 'How kind?', levels: ['no', 'yes'] }, signal)
		expect(score.judge.backend).toBe('builtin')
	})
})

describe('start-up', () => {
	// Proves: judge.onnx-start
	test('fails when the folder is absent, has no model, or has one that cannot be read', async () => {
		await expect(createJudge({ backends: ['onnx'], dir: join(dir, 'nowhere') })).rejects.toThrow(
			'GUARD_JUDGE_DIR',
		)
		mkdirSync(join(dir, 'empty'))
		await expect(createJudge({ backends: ['onnx'], dir: join(dir, 'empty') })).rejects.toThrow(
			'none of nli, injection, reranker',
		)
		mkdirSync(join(dir, 'broken', 'nli'), { recursive: true })
		writeFileSync(join(dir, 'broken', 'nli', 'model.onnx'), 'no model')
		writeFileSync(join(dir, 'broken', 'nli', 'tokenizer.json'), JSON.stringify(bert()))
		await expect(createJudge({ backends: ['onnx'], dir: join(dir, 'broken') })).rejects.toMatchObject({
			reason: 'unavailable',
		})
	})
})

describe('the families of public models', () => {
	/** Unnamed labels, as their configuration often has them. */
	const unnamed = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, i) => [i, `LABEL_${i}`]))

	async function judgeOf(name: string, config: object, weight: (word: string) => number[]): Promise<Judge> {
		const own = mkdtempSync(join(dir, 'family-'))
		mkdirSync(join(own, name))
		writeFileSync(join(own, name, 'tokenizer.json'), JSON.stringify(bert()))
		writeFileSync(join(own, name, 'model.onnx'), tinyModel(WORDS.map(weight)))
		writeFileSync(join(own, name, 'config.json'), JSON.stringify(config))
		return createJudge({ backends: ['onnx'], dir: own })
	}

	// Proves: judge.onnx-families
	test.each([
		{ family: 'nli-deberta', contradiction: 0, entailment: 1, neutral: 2 },
		{ family: 'nli-mnli', entailment: 0, neutral: 1, contradiction: 2 },
	])('$family has its verdicts in its own order', async ({ family, contradiction, entailment, neutral }) => {
		const at = (place: number, value: number) => [0, 1, 2].map((i) => (i === place ? value : 0))
		const own = await judgeOf('nli', { family, id2label: unnamed(3) }, (word) =>
			word === 'no' ? at(contradiction, 6) : word === 'good' ? at(entailment, 3) : at(neutral, 0.3),
		)
		const evidence = ['A good ship. Words words words words.', 'The sky, no sky.']
		const { results } = await own.verify({ claims: ['good ship', 'the sky', 'words'], evidence }, signal)
		expect(results.map(({ verdict }) => verdict)).toEqual(['verified', 'contradicted', 'unsupported'])
		await own.close()
	})

	// Proves: judge.onnx-families
	test('entailed or not is never contradicted, and all kinds of attack count together', async () => {
		const two = await judgeOf('nli', { id2label: { 0: 'entailment', 1: 'not_entailment' } }, (word) =>
			word === 'good' ? [9, 0] : [0, 0.3],
		)
		const claims = ['good ship', 'bad sky']
		const { results } = await two.verify({ claims, evidence: ['A good ship. The bad sky no.'] }, signal)
		expect(results.map(({ verdict }) => verdict)).toEqual(['verified', 'unsupported'])
		await two.close()
		const kinds = { id2label: { 0: 'BENIGN', 1: 'INJECTION', 2: 'JAILBREAK' } }
		const three = await judgeOf('injection', kinds, (word) => (word === 'ignore' ? [0, 2, 2] : [0, 0, 0]))
		const { injection } = await three.screen({ text: 'Ignore word.' }, signal)
		expect(injection.probability).toBeCloseTo((2 * Math.exp(2)) / (1 + 2 * Math.exp(2)), 4)
		await three.close()
	})

	// Proves: judge.onnx-families
	test.each([
		['ms-marco', 'reranker', 1],
		['prompt-injection', 'injection', 2],
		['prompt-guard', 'injection', 2],
	])('%s is known by name', async (family, name, outputs) => {
		const own = await judgeOf(name, { family, id2label: unnamed(outputs) }, (word) => {
			const score = word === 'ignore' || word === 'ship' ? 4 : -0.5
			return outputs === 1 ? [score] : [0, score]
		})
		const { scores } = await own.find({ query: 'sky', candidates: ['word', 'ship'] }, signal)
		if (name === 'reranker') expect(scores[1]).toBeGreaterThan(0.8)
		else expect((await own.screen({ text: 'Ignore.' }, signal)).injection.flagged).toBe(true)
		await own.close()
	})

	// Proves: judge.onnx-families
	test.each([
		['nli', { id2label: unnamed(3) }, 3, 'set "family" to nli-deberta or nli-mnli'],
		['nli', {}, 3, 'does not name its 3 labels'],
		['nli', { family: 'ms-marco' }, 3, 'family "ms-marco" is not one of nli-deberta, nli-mnli'],
		['injection', { family: 'prompt-guard' }, 3, 'config.json has 2 labels, model.onnx gives 3'],
		[
			'injection',
			{ id2label: { 0: 'good', 1: 'other' } },
			2,
			'the labels good, other do not say which is which',
		],
	])(
		'an order that %s does not tell (%j) is refused at the start',
		async (name, config, outputs, message) => {
			const made = judgeOf(name, config, () => new Array<number>(outputs).fill(0))
			await expect(made).rejects.toThrow(message)
		},
	)
})

describe('tokenizer.json', () => {
	test('is read as WordPiece with types and cut at the limit, the second text first', () => {
		const tokenizer = readTokenizer(bert())
		expect(tokenizer.encode('Good words!', null, 20).ids).toEqual([2, 4, 7, 8, 1, 3])
		expect(tokenizer.encode('good', 'bad sky', 20)).toEqual({
			ids: [2, 4, 3, 5, 11, 3],
			types: [0, 0, 0, 1, 1, 1],
		})
		expect(tokenizer.encode('good good', 'bad bad bad bad', 8).ids).toEqual([2, 4, 4, 3, 5, 5, 5, 3])
	})

	test('is read as Unigram, the likeliest pieces first', () => {
		const vocab: [string, number][] = [
			['<unk>', 0],
			['▁ab', -1],
			['▁a', -3],
			['b', -3],
			['c', -2],
			['bc', -9],
		]
		const tokenizer = readTokenizer({
			model: { type: 'Unigram', vocab, unk_id: 0 },
			pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
		})
		expect(tokenizer.encode('abc a zz', null, 20).ids).toEqual([1, 4, 2, 0])
	})

	test('is read as byte-level BPE with its merges in order', () => {
		const vocab = { a: 0, b: 1, ab: 2, Ġ: 3, Ġab: 4, '<s>': 5, '</s>': 6 }
		const post_processor = { type: 'RobertaProcessing', cls: ['<s>', 5], sep: ['</s>', 6] }
		const tokenizer = readTokenizer({
			model: { type: 'BPE', vocab, merges: ['a b', 'Ġ ab'] },
			pre_tokenizer: { type: 'ByteLevel' },
			post_processor,
		})
		expect(tokenizer.encode('ab ab', 'b', 20).ids).toEqual([5, 2, 4, 6, 6, 1, 6])
	})

	// Proves: judge.onnx-special-tokens
	test('gives a special token that a text spells as the text it is', () => {
		const words = readTokenizer({
			...bert({ pre_tokenizer: { type: 'WhitespaceSplit' } }),
			added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content, id) => ({
				content,
				id,
				special: true,
			})),
		})
		expect(words.encode('good [SEP] bad', null, 20).ids).toEqual([2, 4, 1, 5, 3])
		const pieces = readTokenizer({
			model: {
				type: 'Unigram',
				vocab: [
					['<unk>', 0],
					['</s>', 0],
					['▁good', -1],
				],
				unk_id: 0,
			},
			pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
			added_tokens: [{ content: '</s>', id: 1, special: true }],
		})
		expect(pieces.encode('good</s>', null, 20).ids).toEqual([2, 0])
		expect(pieces.encode('good\ud8001', null, 20).ids).toEqual([2, 0])
	})

	test('reads words that its makers added as one token each', () => {
		const added_tokens = [
			{ content: '[CLS]', id: 2, special: true },
			{ content: '[SEP]', id: 3, special: true },
			{ content: 'sky.ship', id: 12, special: false },
		]
		const tokenizer = readTokenizer(bert({ added_tokens }))
		expect(tokenizer.encode('good sky.ship', null, 20).ids).toEqual([2, 4, 12, 3])
	})

	test('is refused when its model is none of these', () => {
		expect(() => readTokenizer({ model: { type: 'WordLevel', vocab: {} } })).toThrow(
			'not supported: WordLevel',
		)
	})
})
