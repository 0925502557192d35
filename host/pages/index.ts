// The console as the host serves it: its documents and its files. What runs in the browser is host/console.

export { consoleRoutes, type PageParts } from './routes.ts'
