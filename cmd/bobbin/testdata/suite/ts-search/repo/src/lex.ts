export class SearchError extends Error {
  constructor(message: string, readonly at: number) {
    super(`${message} (at ${at + 1})`)
    this.name = 'SearchError'
  }
}

export interface Token {
  kind: 'word' | 'phrase' | 'tag' | '(' | ')' | '-' | 'or'
  text: string
  at: number
}

const WORD = /[^\s()"]+/y
const PHRASE = /"([^"]*)"/y

// lex takes a search apart.
export function lex(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const c = text[at]!
    if (/\s/.test(c)) {
      at++
    } else if (c === '(' || c === ')' || c === '-') {
      tokens.push({ kind: c, text: c, at })
      at++
    } else if (c === '"') {
      PHRASE.lastIndex = at
      const phrase = PHRASE.exec(text)
      if (!phrase) throw new SearchError('a quote is not closed', at)
      tokens.push({ kind: 'phrase', text: phrase[1]!, at })
      at = PHRASE.lastIndex
    } else {
      WORD.lastIndex = at
      const word = WORD.exec(text)![0]
      tokens.push(wordToken(word, at))
      at += word.length
    }
  }
  return tokens
}

function wordToken(word: string, at: number): Token {
  if (word.toLowerCase() === 'or') return { kind: 'or', text: word, at }
  if (word.startsWith('tag:') && word.length > 4) return { kind: 'tag', text: word.slice(4), at }
  return { kind: 'word', text: word, at }
}
