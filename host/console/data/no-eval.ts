import { config } from 'zod'

// Before any schema is made: zod compiles them with `new Function` where it may, and the policy of the page forbids it.
config({ jitless: true })
