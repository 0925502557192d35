/** Tools with a name and a description, topics, queues: places that a message may go to, in words. */
import { FUNCTION, type Phrase, whole } from '../text/phrase.ts'
import { readName } from './ranked.ts'

const WORDS_READ = 300

/** The words of a phrase that carry a topic, by place. */
export function topics({ words, marks }: Phrase): number[] {
	const found: number[] = []
	for (let i = 0; i < words.length && found.length < WORDS_READ; i++)
		if (!(marks[i]! & FUNCTION)) found.push(i)
	return found
}

/** Names in words: `get_weather` and `GetWeather` are "get weather". */
export const spelled = (text: string): string => readName(text.replaceAll('_', ' ')).source
export const named = (text: string): Phrase => whole(readName(text.replaceAll('_', ' ')))
