// Schedules: runs that begin by the clock.

export { scheduleRoutes } from './routes.ts'
export { openSchedules } from './service.ts'
export { unfitSchedules } from './unfit.ts'
