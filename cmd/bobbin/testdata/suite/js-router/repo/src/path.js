// split takes a path apart: its parts without the query.
export function split(path) {
  const [bare] = path.split(/[?#]/)
  return decodeURI(bare).split('/').filter(part => part !== '')
}

// query gives what stands behind the question mark.
export function query(path) {
  const [, text = ''] = path.split('#')[0].split('?')
  return Object.fromEntries(new URLSearchParams(text))
}

// fill puts values into the parts of a pattern.
export function fill(pattern, values) {
  const parts = pattern.map(part => {
    if (part[0] !== ':' && part[0] !== '*') return part
    const value = values[part.slice(1)]
    if (value === undefined || value === '') throw new Error(`${part.slice(1)} is missing`)
    return encodeURI(String(value))
  })
  return '/' + parts.join('/')
}
