import type { Tool } from '../../guard/tool.ts'
import { choice } from './choice.ts'
import { find } from './find.ts'
import { noul } from './noul.ts'
import { score } from './score.ts'
import { screen } from './screen.ts'
import { verify } from './verify.ts'

export const tools: ReadonlyMap<string, Tool> = new Map(
	[verify, screen, find, noul, choice, score].map((tool) => [tool.name, tool]),
)
