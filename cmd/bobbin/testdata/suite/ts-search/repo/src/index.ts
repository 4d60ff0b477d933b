export { find } from './find.js'
export { parse } from './parse.js'
export { SearchError } from './lex.js'
export type { Note, Query } from './types.js'
