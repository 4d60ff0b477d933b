export { anchors, slug } from './anchors.js'
export { headings } from './headings.js'
export { contents } from './contents.js'
