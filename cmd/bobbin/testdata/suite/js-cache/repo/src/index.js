export { Cache } from './cache.js'
