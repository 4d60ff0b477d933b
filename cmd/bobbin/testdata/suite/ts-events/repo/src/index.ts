export { Bus } from './bus.js'
export type { AnyListener, Listener, Off } from './types.js'
export { until } from './until.js'
