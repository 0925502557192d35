import { join } from 'node:path'
import type { JudgeSettings } from '../../connector/index.ts'
import type { Config } from '../settings/config.ts'

export type JudgeConfig = Pick<Config, 'DATA_DIR' | Extract<keyof Config, `GUARD_JUDGE${string}`>>

/** Of this host's settings: what makes its judge, the same for the host and for `berth judge check`. */
export const judgeSettings = (config: JudgeConfig): JudgeSettings & { calibration: string } => ({
	backends: config.GUARD_JUDGE,
	url: config.GUARD_JUDGE_URL,
	model: config.GUARD_JUDGE_MODEL,
	key: config.GUARD_JUDGE_KEY,
	dir: config.GUARD_JUDGE_DIR,
	callMs: config.GUARD_JUDGE_SECONDS * 1_000,
	callTokens: config.GUARD_JUDGE_TOKENS,
	calibration: join(config.DATA_DIR, 'judge-calibration.json'),
})
