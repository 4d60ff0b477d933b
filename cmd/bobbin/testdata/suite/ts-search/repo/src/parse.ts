import { lex, SearchError, type Token } from './lex.js'
import type { Query } from './types.js'

// parse reads a search. One that is empty wants every note.
export function parse(text: string): Query {
  const reader = new Reader(lex(text), text.length)
  const query = reader.all()
  reader.end()
  return query
}

class Reader {
  #next = 0

  constructor(readonly tokens: Token[], readonly length: number) {}

  // all reads what stands side by side.
  all(): Query {
    const of: Query[] = []
    while (this.#peek() && this.#peek() !== ')') of.push(this.#either())
    return of.length === 1 ? of[0]! : { kind: 'and', of }
  }

  end(): void {
    const token = this.tokens[this.#next]
    if (token) throw new SearchError(`nobody expects ${token.text}`, token.at)
  }

  #either(): Query {
    const of = [this.#one()]
    while (this.#peek() === 'or') {
      this.#next++
      of.push(this.#one())
    }
    return of.length === 1 ? of[0]! : { kind: 'or', of }
  }

  #one(): Query {
    const token = this.tokens[this.#next]
    if (!token) throw new SearchError('something is missing', this.length)
    this.#next++
    switch (token.kind) {
      case 'word':
      case 'phrase':
        return { kind: 'text', text: token.text }
      case 'tag':
        return { kind: 'tag', tag: token.text }
      case '-':
        return { kind: 'not', of: this.#one() }
      case '(': {
        const inner = this.all()
        if (this.#peek() !== ')') throw new SearchError('a bracket is not closed', token.at)
        this.#next++
        return inner
      }
    }
    throw new SearchError(`nobody expects ${token.text}`, token.at)
  }

  #peek(): Token['kind'] | undefined {
    return this.tokens[this.#next]?.kind
  }
}
