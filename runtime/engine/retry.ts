export { untilDone } from '../retry.ts'
