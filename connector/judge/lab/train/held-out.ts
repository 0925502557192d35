/**
 * Sources set aside whole, named before anything was trained: the figures of RESULTS.md come from weights that never
 * saw them (`npm run train -- --hold-out`). Chosen so that each tool loses a kind of text, not only a file of it.
 */
import type { Rows } from './data.ts'

export const HELD_OUT: Record<keyof Rows, readonly string[]> = {
	verify: [
		'creak-expl',
		'begin-cmu',
		'begin-tc',
		'summedits-news',
		'summedits-samsum',
		'wice-claim-dev',
		'fm2',
		'indonli',
		'built-docs-de',
		'built-roles',
	],
	screen: [
		'deepset-prompt-injections',
		'injecagent',
		'bipia-train-email',
		'bipia-train-code',
		'inthewild-jailbreak',
		'wildguard-benign',
		'banking77-query',
		'agent-files',
		'owasp-cheatsheets',
		'doc:VoltAgent/voltagent',
		'doc:simonw/datasette',
		'summedits-doc-news',
		'summedits-doc-sales_email',
		'spikee',
		'spikee-fp',
		'owasp-llm-top10',
		'role-prompts-zh',
		'sms-spam',
		'built-csv-cell',
		'built-quoted',
	],
	find: ['metatool', 'wice-sent', 'xquad-es', 'bfcl-tools', 'covid-faq', 'built-stuffed'],
	noul: [
		'strategyqa+facts',
		'ctx-creak-expl',
		'ctx-begin-cmu',
		'ctx-begin-tc',
		'ctx-summedits-news',
		'ctx-summedits-samsum',
		'ctx-wice-claim-dev',
		'strategyqa',
	],
	choice: ['metatool-choice', 'mmlu-dev', 'creak-which-true', 'verdict-creak-expl'],
	score: ['sra-beetle', 'stsb-es', 'stsb-fr', 'prometheus-vicuna'],
}

/** Scored by another model under terms that allow measuring only. */
export const NEVER_TRAINED = ['prometheus-vicuna']
