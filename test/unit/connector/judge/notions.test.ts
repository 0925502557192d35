// Everyday searches with few or no words of their answer: notions join the two, in several languages.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJudge, type Judge } from '../../../../connector/judge/index.ts'

const { signal } = new AbortController()
let judge: Judge
beforeAll(async () => {
	judge = await createJudge({ backends: ['builtin'] })
})
afterAll(() => judge.close())

// Proves: guard.find
test.each([
	['cerrar mi cuenta', ['Abrir una cuenta', 'Eliminar su perfil', 'Cambiar la foto']],
	[
		'make the image bigger',
		['blur: softens the image', 'resize: width and height', 'rotate: turns by an angle'],
	],
	['Arzt für die Augen', ['Sonnenbrillen im Test', 'Augenarzt: Termine am Montag', 'Apotheken am Ort']],
	['perdi o meu cartão', ['Cartões de Natal', 'Bloquear um cartão extraviado', 'Pedir um empréstimo']],
])('%s %j', async (query, candidates) => {
	const { scores } = await judge.find({ query, candidates }, signal)
	expect(scores.indexOf(Math.max(...scores))).toBe(1)
})
