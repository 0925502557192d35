import type { z } from 'zod'
import { type CreateSchedule, type PatchSchedule, Schedule, ScheduleList } from '../../api/schedules.ts'
import { type Http, post } from './http.ts'

export function scheduleCalls(http: Http, base: string) {
	const at = (deployment: string, rest = '') =>
		`${base}/v1/deployments/${encodeURIComponent(deployment)}/schedules${rest}`
	return {
		add: (deployment: string, schedule: z.input<typeof CreateSchedule>) =>
			http.json(Schedule, post(at(deployment), schedule)),
		list: (deployment: string) => http.json(ScheduleList, { method: 'GET', url: at(deployment) }),
		patch: (deployment: string, id: string, change: z.input<typeof PatchSchedule>) =>
			http.json(Schedule, {
				method: 'PATCH',
				url: at(deployment, `/${encodeURIComponent(id)}`),
				body: change,
			}),
		remove: async (deployment: string, id: string) =>
			void (await http.send({ method: 'DELETE', url: at(deployment, `/${encodeURIComponent(id)}`) })),
	}
}
