import { z } from 'zod'
import { UnfitSchedule } from './schedules.ts'

const schema = z.record(z.string(), z.unknown())

/** What a version is, from its stored bundle: enough to show by meaning how two of them differ. */
export const VersionDetail = z
	.object({
		version: z.number(),
		active: z.boolean(),
		created_at: z.string(),
		digest: z.string(),
		commit: z.string(),
		name: z.string(),
		description: z.string().nullable(),
		/** `options`: all other members of `model`. */
		model: z.object({ provider: z.string(), name: z.string(), options: z.record(z.string(), z.unknown()) }),
		/** Further models by name, as `agent.yaml` has them. */
		models: z.record(z.string(), z.record(z.string(), z.unknown())),
		/** The system prompt, with the file it stands in. */
		prompt: z.object({ path: z.string(), text: z.string() }),
		/** JSON Schema 2020-12. */
		inputs: schema,
		output: schema.nullable(),
		connectors: z.array(
			z.object({
				connector: z.string(),
				auth: z.string(),
				scopes: z.array(z.string()),
				/** Required; `approval`: a person decides about each call. */
				tools: z.array(
					z.object({ name: z.string(), approval: z.boolean(), screen: z.boolean(), idempotent: z.boolean() }),
				),
				/** Settings of its own. */
				settings: z.record(z.string(), z.unknown()),
			}),
		),
		/** Settings of tools as `agent.yaml` has them: those of connectors and of its own. */
		tools: z.record(z.string(), z.unknown()),
		/** Origins that its programs may call, as `agent.yaml` has them. */
		http: z.record(z.string(), z.record(z.string(), z.unknown())),
		limits: z.record(z.string(), z.number()),
		skills: z.array(
			z.object({
				name: z.string(),
				description: z.string(),
				/** `SKILL.md` without its head. Null: with those before it over 4 Mi characters; `files` has its digest. */
				text: z.string().nullable(),
			}),
		),
		/** All files of the bundle. A program is listed as it was compiled. */
		files: z.array(z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string() })),
		/** Live schedules whose inputs do not fit it. */
		unfit_schedules: z.array(UnfitSchedule),
	})
	.meta({ id: 'VersionDetail' })

export type VersionDetail = z.infer<typeof VersionDetail>
