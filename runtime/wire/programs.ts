import type { BundleFault, LoadedScript, OwnTool } from '../../bundles/index.ts'

export interface Programs {
	scripts: LoadedScript[]
	memoryMb: number
}
export interface CheckedPrograms {
	faults: BundleFault[]
	tools: OwnTool[]
}
