import { agent } from 'berth'

/** The caller keeps the conversation and sends all of it each time: a run holds nothing afterwards. */
export default agent(async ({ messages }, ctx) => ctx.loop({ messages }))
