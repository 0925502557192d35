// `tool` and `agent` say what a thing is and add nothing to it.
export const tool = (definition) => definition
export const agent = (run) => run
