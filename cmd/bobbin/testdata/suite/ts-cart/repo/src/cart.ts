import { isCents } from './money.js'
import type { Article, Cents, Item, Shipping, Totals } from './types.js'

export class CartError extends Error {
  override name = 'CartError'
}

export class Cart {
  #items = new Map<string, Item>()
  #shipping: Shipping

  constructor(shipping: Shipping = { shipping: 0 }) {
    if (!isCents(shipping.shipping) || (shipping.freeFrom !== undefined && !isCents(shipping.freeFrom))) {
      throw new CartError('shipping has to be in whole cents')
    }
    this.#shipping = shipping
  }

  // add puts an article into the cart, or more of one that is there.
  add(article: Article, quantity = 1): this {
    if (!isCents(article.price)) throw new CartError(`${article.name}: ${article.price} is no price`)
    if (!Number.isSafeInteger(quantity) || quantity < 1) throw new CartError(`${quantity} is no quantity`)
    const item = this.#items.get(article.id)
    if (item) item.quantity += quantity
    else this.#items.set(article.id, { article, quantity })
    return this
  }

  // remove takes some of an article out, or all of it.
  remove(id: string, quantity = Infinity): this {
    const item = this.#items.get(id)
    if (!item) throw new CartError(`${id} is not in the cart`)
    item.quantity -= quantity
    if (item.quantity <= 0) this.#items.delete(id)
    return this
  }

  get items(): Item[] {
    return [...this.#items.values()].map(item => ({ ...item }))
  }

  totals(): Totals {
    const goods = this.items.reduce((sum, item) => sum + item.article.price * item.quantity, 0)
    const shipping = this.#shippingFor(goods)
    return { goods, shipping, total: goods + shipping }
  }

  #shippingFor(goods: Cents): Cents {
    const { shipping, freeFrom = Infinity } = this.#shipping
    return goods === 0 || goods >= freeFrom ? 0 : shipping
  }
}
