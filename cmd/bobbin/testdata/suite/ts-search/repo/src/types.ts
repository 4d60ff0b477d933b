// A Note is what is searched.
export interface Note {
  text: string
  tags: string[]
}

// A Query says which notes are wanted.
export type Query =
  | { kind: 'text', text: string }
  | { kind: 'tag', tag: string }
  | { kind: 'not', of: Query }
  | { kind: 'and', of: Query[] }
  | { kind: 'or', of: Query[] }
