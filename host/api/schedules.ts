import { z } from 'zod'

// Schedules of a deployment (spec schedule.lifecycle): runs that begin by the clock.

const cron = z.string().trim().min(1).max(200)
/** IANA name, as in `Europe/Berlin`. */
const timezone = z.string().min(1).max(64)
const inputs = z.record(z.string(), z.unknown())
/** What becomes of times that passed while nobody could fire them: nothing, or one run in place of all of them. */
const missed = z.enum(['skip', 'run_once'])

export const Schedule = z
	.object({
		id: z.string(),
		cron: z.string(),
		timezone: z.string(),
		inputs,
		missed,
		enabled: z.boolean(),
		/** The next five; none while it is paused. */
		next_times: z.array(z.string()),
		last_at: z.string().nullable(),
		last_run: z.string().nullable(),
		/** Why the last time made no run. */
		last_error: z.object({ code: z.string(), message: z.string() }).nullable(),
		/** The last time that was left out, as nobody could fire it. */
		skipped_at: z.string().nullable(),
		created_at: z.string(),
	})
	.meta({ id: 'Schedule' })

/** Body of `POST /v1/deployments/{id}/schedules`. */
export const CreateSchedule = z
	.strictObject({
		/** Five fields: minute, hour, day of month, month, day of week. */
		cron,
		timezone: timezone.default('UTC'),
		inputs: inputs.default({}),
		missed: missed.default('skip'),
	})
	.meta({ id: 'CreateSchedule' })

/** Body of `PATCH …/schedules/{id}`. `enabled`: false pauses it, true lets it go on from now. */
export const PatchSchedule = z
	.strictObject({
		cron: cron.optional(),
		timezone: timezone.optional(),
		inputs: inputs.optional(),
		missed: missed.optional(),
		enabled: z.boolean().optional(),
	})
	.meta({ id: 'PatchSchedule' })

export const ScheduleList = z.object({ data: z.array(Schedule) }).meta({ id: 'ScheduleList' })

/** A live schedule whose inputs do not fit another version: its runs would be refused. */
export const UnfitSchedule = z
	.object({
		schedule: z.string(),
		cron: z.string(),
		timezone: z.string(),
		/** `path`: of the input, as a JSON pointer below `/inputs`. */
		errors: z.array(z.object({ path: z.string(), message: z.string() })),
	})
	.meta({ id: 'UnfitSchedule' })

export type UnfitSchedule = z.infer<typeof UnfitSchedule>
export type Schedule = z.infer<typeof Schedule>
export type ScheduleList = z.infer<typeof ScheduleList>
