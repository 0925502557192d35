// A run's events as calls on a time axis. Pure: no page, no clock, no request.

export { addEvent, emptyTimeline, timelineOf } from './add.ts'
export { type Row, rowsOf } from './rows.ts'
export { type Shares, sharesOf } from './shares.ts'
export type { Effect, EffectState, Kind, Line, Said, Timeline, Tokens, Try } from './types.ts'
export { usageSoFar } from './usage.ts'
