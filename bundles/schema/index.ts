export { checkSchema, type SchemaFault } from './check.ts'
export { compileSchema, type SchemaError, type Validate } from './compile.ts'
export { closeSchemaWorker } from './remote.ts'
