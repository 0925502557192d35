import { setFlagsFromString } from 'node:v8'

/**
 * From here on V8's heap grows to twice what is alive before it is collected whole; by default to four times. As an option
 * of the command line it costs a start 30 ms of CPU, because V8 takes what Node brings compiled of itself for Node's own
 * options only. So it is called once the modules are loaded.
 */
export const growSlowly = (): void => setFlagsFromString('--heap-growing-percent=100')
