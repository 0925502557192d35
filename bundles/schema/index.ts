export { checkSchema, type SchemaFault } from './check.ts'
export { type Asker, compileSchema, heavyPointers, type SchemaError, type Validate } from './compile.ts'
export { closeSchemaWorkers } from './remote.ts'
