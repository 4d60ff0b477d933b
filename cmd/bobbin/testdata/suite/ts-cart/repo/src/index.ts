export { Cart, CartError } from './cart.js'
export { formatCents } from './money.js'
export { summary } from './summary.js'
export type { Article, Item, Shipping, Totals } from './types.js'
