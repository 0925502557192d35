export {
	AGENT_NAME,
	type Agent,
	agentJsonSchema,
	agentSchema,
	defaultLimits,
	type Requirement,
	SCREEN_TOOL,
	type ToolSettings,
} from './agent.ts'
export { agentTypes, TYPES_FILE, typedMembers } from './agent-types.ts'
export { type ParsedAgent, parseAgent } from './agent-yaml.ts'
export { type BuiltBundle, buildBundle, buildFrom, type Examine } from './build.ts'
export { canonicalJson, sha256 } from './canonical.ts'
export { canonicalUrl, connectorKey, connectorSlug, toolKey } from './connector-url.ts'
export { nestsTooDeep, TOO_DEEP } from './depth.ts'
export { addFaults, BundleError, type BundleFault, elsewhere, fault, faultLine, pointerOf } from './fault.ts'
export { FILE_MAX_KB, type FilePlace, fileFault, filePlaces, mapFiles, withAddress } from './file-schema.ts'
export {
	FILES_MAX,
	FORMAT,
	FORMAT_READ_BY,
	type Manifest,
	PACKED_MAX_BYTES,
	UNPACKED_MAX_BYTES,
} from './format.ts'
export { type GuestAgent, type GuestBundle, guestBundle } from './guest.ts'
export {
	HTTP_CALLS,
	HTTP_RESPONSE_KB,
	HTTP_SECONDS,
	HTTP_SECRET,
	type HttpSecret,
	headerFault,
	httpSecrets,
} from './http.ts'
export { importFault, inPlaceOf } from './imports.ts'
export {
	DESCRIPTION_MAX_CHARS,
	type FailedLoad,
	failedFault,
	judgeFound,
	LACKING,
	LOAD_CPU_MS,
	type LoadedScript,
	type OwnTool,
	TOOL_NAME,
	TOOLS_MAX,
} from './loaded/index.ts'
export { type Model, RETRY_SECONDS } from './model.ts'
export { modelLists } from './model-lists.ts'
export {
	MODEL_OPTIONS,
	type ModelSettings,
	optionFaults,
	optionNames,
	optionsOf,
	readOptions,
	sets,
} from './model-options.ts'
export { refusedParameters } from './model-parameters.ts'
export {
	asksPlatform,
	type ChosenModel,
	isModelKey,
	keyName,
	modelChains,
	modelKeys,
	type OwnModel,
	PROVIDER,
} from './models.ts'
export { newAgent, packageRoot, TEMPLATES, type Template } from './new-agent.ts'
export { pathFault } from './path.ts'
export { apiOf, baseUrl, isOfficial, providerOrigin } from './provider-address.ts'
export { type Bundle, readBundle } from './read.ts'
export {
	type Asker,
	type Completed,
	checkSchema,
	closeSchemaWorkers,
	compileSchema,
	completer,
	defaultFaults,
	heavyPointers,
	placeOf,
	relocate,
	type SchemaError,
	type SchemaFault,
	type Validate,
} from './schema/index.ts'
export {
	anthropicFormat,
	canBeStrict,
	openaiFormat,
	type Schema,
	STRICT_SUBSET,
} from './schema/structured.ts'
export type { Skill } from './skill.ts'
export { type FindPlace, readMap, type SourcePosition } from './source-map.ts'
export { SEARCH_TOOL, searchesAtMost, searchOf, type WebSearch } from './web-search.ts'
export { type Searching, webSearches } from './web-searches.ts'
export { MISSING, plainWords } from './words.ts'
export { type Failure, openPool, type ThreadPool, workerFile } from './workers.ts'
export { readWorkingTree } from './working-tree.ts'
