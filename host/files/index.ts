// Files of runs: uploaded, stored by digest, read, and forgotten with their runs.

export { dropUnused, forgetFiles, sweepFiles } from './forget.ts'
export { readRunForm } from './form.ts'
export { fileHandlers } from './handlers.ts'
export { fileRoutes } from './routes.ts'
export { takeUpload } from './under-way.ts'
export { filesOfInputs, linkFiles, unlinkFiles } from './use.ts'
