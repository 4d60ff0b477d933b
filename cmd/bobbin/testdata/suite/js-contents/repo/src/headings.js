const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}```/

// headings are those of a text: their level, and their words without markup.
export function headings(text) {
  const found = []
  let fenced = false
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) {
      fenced = !fenced
      continue
    }
    const match = HEADING.exec(line)
    if (match && !fenced && match[2]) found.push({ level: match[1].length, words: plain(match[2]) })
  }
  return found
}

// plain takes the markup out of a line: code, emphasis, links and pictures.
export function plain(line) {
  return line
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .replace(/(\*|`)(.+?)\1/g, '$2')
    .trim()
}
