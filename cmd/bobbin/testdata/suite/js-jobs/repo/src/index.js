export { Queue } from './queue.js'
export { TimeoutError } from './timeout.js'
