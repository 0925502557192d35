/**
 * Loaded before a program (`--import`): what Node has compiled for one start is kept beside the code for the next, where
 * that folder may be written. It saves a runtime 20 of 150 ms of CPU.
 */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '.compiled'))
