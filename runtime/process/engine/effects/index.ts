import type { Method } from '../../../wire/recorded-effect.ts'
import { approve } from './approve.ts'
import { embed } from './embed.ts'
import { filesCreate, filesRead } from './files.ts'
import type { Handler } from './handler.ts'
import { http } from './http.ts'
import { log } from './log.ts'
import { memoryDelete, memoryList, memoryRead, memoryWrite } from './memory.ts'
import { model } from './model.ts'
import { toolCall } from './tool-call.ts'
import { toolLocal } from './tool-local.ts'
import { toolLocalDone } from './tool-local-done.ts'
import { toolsDeclare } from './tools-declare.ts'
import { toolsList } from './tools-list.ts'

/** All that a program can ask for. */
export const handlers: Record<Method, Handler> = {
	'tools.declare': toolsDeclare,
	'tools.list': toolsList,
	model,
	embed,
	'tool.call': toolCall,
	'tool.local': toolLocal,
	'tool.local.done': toolLocalDone,
	'memory.list': memoryList,
	'memory.read': memoryRead,
	'memory.write': memoryWrite,
	'memory.delete': memoryDelete,
	'files.read': filesRead,
	'files.create': filesCreate,
	http,
	approve,
	log,
}
