import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Cart, summary, VoucherError } from '../dist/index.js'

const mug = { id: 'mug', name: 'Mug', price: 1250 }
const pin = { id: 'pin', name: 'Pin', price: 1 }
const filled = (quantity = 2) => new Cart({ shipping: 490, freeFrom: 5000 }).add(mug, quantity)
const figures = cart => { const t = cart.totals(); return [t.goods, t.discount, t.shipping, t.total] }
const spring = { code: 'SPRING', kind: 'percent', value: 15, stacks: true }
const five = { code: 'FIVE', kind: 'amount', value: 500, stacks: true }

test('percent and amount', () => {
  const cart = filled()
  cart.redeem(spring)
  assert.deepEqual(figures(cart), [2500, 375, 490, 2615])
  cart.redeem(five)
  assert.deepEqual(figures(cart), [2500, 875, 490, 2115])
})

test('without vouchers nothing is taken off', () => {
  assert.deepEqual(figures(filled()), [2500, 0, 490, 2990])
})

test('the order in which they are redeemed does not matter', () => {
  const ten = { code: 'TEN', kind: 'percent', value: 10, stacks: true }
  const orders = [[spring, ten, five], [five, ten, spring]].map(list => {
    const cart = filled()
    for (const voucher of list) cart.redeem(voucher)
    return figures(cart)
  })
  assert.deepEqual(orders[0], [2500, 375 + 250 + 500, 490, 1865])
  assert.deepEqual(orders[1], orders[0])
})

test('half a cent goes up', () => {
  const cart = new Cart().add(pin, 10)
  cart.redeem(spring)
  assert.deepEqual(figures(cart), [10, 2, 0, 8])
  const odd = new Cart().add({ ...pin, price: 230 })
  odd.redeem({ code: 'X', kind: 'percent', value: 2.5 })
  assert.equal(odd.totals().discount, 6, '5.75')
})

test('never below zero, and shipping stays', () => {
  const cart = filled(1)
  cart.redeem({ code: 'BIG', kind: 'amount', value: 9900 })
  assert.deepEqual(figures(cart), [1250, 1250, 490, 490])
})

test('a minimum is of the goods before vouchers', () => {
  const cart = filled()
  cart.redeem({ ...spring, minimum: 5000 })
  assert.deepEqual(figures(cart), [2500, 0, 490, 2990])
  assert.match(summary(cart), /\nVoucher SPRING {2}from 50\.00\nShipping/)
  cart.redeem(five)
  cart.add(mug, 2)
  assert.deepEqual(figures(cart), [5000, 1250, 0, 3750])
  cart.remove('mug')
  assert.deepEqual(figures(cart), [0, 0, 0, 0])
})

test('free shipping', () => {
  const cart = filled()
  cart.redeem({ code: 'SHIP', kind: 'shipping' })
  assert.deepEqual(figures(cart), [2500, 0, 0, 2500])
  assert.equal(summary(cart), '2 x Mug  25.00\nVoucher SHIP  free shipping\nShipping  free\nTotal  25.00')
  const later = filled()
  later.redeem({ code: 'SHIP', kind: 'shipping', minimum: 3000 })
  assert.equal(later.totals().shipping, 490)
})

test('what stands alone', () => {
  const alone = { ...five, code: 'ALONE', stacks: false }
  for (const [first, second] of [[spring, alone], [alone, spring], [spring, { ...five, code: 'spring' }], [{ ...five, stacks: undefined }, spring]]) {
    const cart = filled()
    cart.redeem(first)
    const before = figures(cart)
    assert.throws(() => cart.redeem(second), VoucherError)
    assert.deepEqual(figures(cart), before)
  }
})

test('the summary', () => {
  const cart = filled()
  cart.redeem(spring)
  cart.redeem(five)
  assert.equal(summary(cart), '2 x Mug  25.00\nVoucher SPRING  -3.75\nVoucher FIVE  -5.00\nShipping  4.90\nTotal  21.15')
})
