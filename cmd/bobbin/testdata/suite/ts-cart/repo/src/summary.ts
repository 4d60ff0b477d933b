import type { Cart } from './cart.js'
import { formatCents } from './money.js'

// summary is the cart as text.
export function summary(cart: Cart): string {
  const totals = cart.totals()
  const lines = cart.items.map(({ article, quantity }) => `${quantity} x ${article.name}  ${formatCents(article.price * quantity)}`)
  lines.push(`Shipping  ${totals.shipping === 0 ? 'free' : formatCents(totals.shipping)}`)
  lines.push(`Total  ${formatCents(totals.total)}`)
  return lines.join('\n')
}
