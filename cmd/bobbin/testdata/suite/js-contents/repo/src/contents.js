import { anchors } from './anchors.js'
import { headings } from './headings.js'

// contents is the table of contents of a text: a list of links, indented by level. depth is the
// deepest level that is in it.
export function contents(text, { depth = 3 } = {}) {
  const all = headings(text)
  const links = anchors(all.map(h => h.words))
  const shown = all.map((h, i) => ({ ...h, link: links[i] })).filter(h => h.level <= depth)
  const top = Math.min(...shown.map(h => h.level))
  return shown.map(h => `${'  '.repeat(h.level - top)}- [${h.words}](#${h.link})`).join('\n')
}
