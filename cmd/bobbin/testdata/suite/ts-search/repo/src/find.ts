import { parse } from './parse.js'
import type { Note, Query } from './types.js'

// find gives the notes that a search wants, in their order.
export function find(notes: Note[], search: string): Note[] {
  const query = parse(search)
  return notes.filter(note => matches(note, query, true))
}

// matches tells whether a note is wanted; with wanted false, whether it is unwanted.
function matches(note: Note, query: Query, wanted: boolean): boolean {
  switch (query.kind) {
    case 'text':
      return note.text.toLowerCase().includes(query.text.toLowerCase()) === wanted
    case 'tag':
      return note.tags.some(tag => tag.toLowerCase() === query.tag.toLowerCase()) === wanted
    case 'not':
      return matches(note, query.of, !wanted)
    case 'and':
      return query.of.every(q => matches(note, q, wanted))
    case 'or':
      return query.of.some(q => matches(note, q, wanted))
  }
}
