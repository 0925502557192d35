/** The forty questions of `berth judge check`. */
import type { Question } from './question.ts'
import { RATINGS } from './ratings.ts'
import { TEXTS } from './texts.ts'

export const QUESTIONS: readonly Question[] = [...TEXTS, ...RATINGS]
