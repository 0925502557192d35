// The tool lock: what a connector offered first, what it offers now, and the owner's consent to the latter.

export { toolRoutes } from './routes.ts'
export { lockSoon, lockTools } from './tools.ts'
