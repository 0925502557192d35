export { type FailedLoad, failedFault, LACKING, LOAD_CPU_MS } from './failed.ts'
export {
	DESCRIPTION_MAX_CHARS,
	judgeFound,
	type LoadedScript,
	type OwnTool,
	TOOL_NAME,
	TOOLS_MAX,
} from './found.ts'
