import { expect, test } from 'vitest'
import { multipart } from '../../../../host/owner/client/multipart.ts'

test('a form is what others read as the same form', async () => {
	const content = Uint8Array.from({ length: 300 }, (_, n) => n % 256)
	const fileName = 'a "b": ü.zip'
	const { type, bytes } = multipart([
		{ name: 'name', content: 'Größe' },
		{ name: 'bundle', content, fileName, type: 'application/zip' },
	])
	const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
	const file = form.get('bundle') as File
	expect([...form.keys(), form.get('name')]).toEqual(['name', 'bundle', 'Größe'])
	// Browsers escape a quote in a file name, and readers leave it so.
	expect([file.name, file.type]).toEqual([
		expect.stringMatching(/^a ("|%22)b("|%22): ü\.zip$/),
		'application/zip',
	])
	expect(new Uint8Array(await file.arrayBuffer())).toEqual(content)
})
