import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Bus, until } from '../dist/index.js'

test('listeners hear their events', () => {
  const bus = new Bus()
  const heard = []
  const off = bus.on('a', n => heard.push(`a${n}`))
  bus.any((name, n) => heard.push(`*${name}${n}`))
  assert.equal(bus.emit('a', 1), true)
  bus.emit('b', 2)
  off()
  off()
  bus.emit('a', 3)
  assert.deepEqual(heard, ['a1', '*a1', '*b2', '*a3'])
  bus.clear()
  assert.equal(bus.emit('a', 4), false)
})

test('once is once', () => {
  const bus = new Bus()
  let times = 0
  bus.once('a', () => times++)
  bus.emit('a')
  bus.emit('a')
  assert.deepEqual([times, bus.count('a')], [1, 0])
})

test('until', async () => {
  const bus = new Bus()
  const even = until(bus, 'n', n => n % 2 === 0)
  bus.emit('n', 1)
  bus.emit('n', 2)
  assert.equal(await even, 2)
  assert.equal(bus.count('n'), 0)
})
