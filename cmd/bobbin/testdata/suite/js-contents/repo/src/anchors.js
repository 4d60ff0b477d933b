// slug is the anchor of a heading by itself.
export function slug(words) {
  return words
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replace(/ /g, '-')
}

// anchors are those of the headings of a file, in their order.
export function anchors(list) {
  const seen = new Map()
  return list.map(words => {
    const anchor = slug(words)
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}
