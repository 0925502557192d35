/** OpenAI `POST /v1/embeddings`. */

/** By its text, so that a test knows it: length, first character, position in the request. */
const vectorOf = (text: string, i: number) => [text.length, text.codePointAt(0) ?? 0, i + 0.5]

export function embeddingObject(body: Record<string, unknown>) {
	const texts = [body.input].flat().map(String)
	const data = texts.map((text, index) => {
		const vector = vectorOf(text, index)
		const bytes = Buffer.from(new Float32Array(vector).buffer)
		const embedding = body.encoding_format === 'base64' ? bytes.toString('base64') : vector
		return { object: 'embedding', index, embedding }
	})
	const tokens = texts.length * 4
	const usage = { prompt_tokens: tokens, total_tokens: tokens }
	// Known by their index, not by their order.
	return { object: 'list', model: body.model, data: data.reverse(), usage }
}
