import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Cart, CartError, formatCents, summary } from '../dist/index.js'

const mug = { id: 'mug', name: 'Mug', price: 1250 }

test('goods and shipping', () => {
  const cart = new Cart({ shipping: 490, freeFrom: 5000 })
  assert.equal(cart.totals().total, 0)
  cart.add(mug).add(mug)
  assert.deepEqual([cart.totals().goods, cart.totals().shipping, cart.totals().total], [2500, 490, 2990])
  cart.add(mug, 2)
  assert.equal(cart.totals().total, 5000)
  cart.remove('mug', 3)
  assert.equal(cart.items[0].quantity, 1)
  cart.remove('mug')
  assert.deepEqual(cart.items, [])
})

test('mistakes', () => {
  const cart = new Cart()
  for (const wrong of [() => cart.add({ ...mug, price: 0.5 }), () => cart.add(mug, 0), () => cart.remove('cup'), () => new Cart({ shipping: -1 })]) {
    assert.throws(wrong, CartError)
  }
})

test('text', () => {
  assert.deepEqual([0, 5, 1234, -75].map(formatCents), ['0.00', '0.05', '12.34', '-0.75'])
  assert.equal(summary(new Cart({ shipping: 490 }).add(mug, 2)), '2 x Mug  25.00\nShipping  4.90\nTotal  29.90')
})
