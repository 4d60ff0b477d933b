import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Cache } from '../src/index.js'

function slow() {
  const s = {}
  s.promise = new Promise((resolve, reject) => Object.assign(s, { resolve, reject }))
  return s
}

test('a value that is set anew lives anew', () => {
  let time = 0
  const cache = new Cache({ life: 10, now: () => time })
  cache.set('a', 1)
  time = 8
  cache.set('a', 2)
  time = 12
  assert.equal(cache.get('a'), 2)
  time = 18
  assert.equal(cache.get('a'), undefined)
})

test('a value that is set anew was used', () => {
  const cache = new Cache({ size: 2 })
  cache.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  assert.deepEqual([cache.has('a'), cache.has('b'), cache.has('c')], [true, false, true])
})

test('a value that is over is set anew', () => {
  let time = 0
  const cache = new Cache({ life: 10, now: () => time })
  cache.set('a', 1)
  time = 20
  cache.set('a', 2)
  assert.equal(cache.get('a'), 2)
})

test('a lookup from before an invalidation is not kept', async () => {
  const cache = new Cache()
  const old = slow()
  const first = cache.fetch('prices/mug', () => old.promise)
  cache.invalidate('prices/')
  old.resolve(1)
  assert.equal(await first, 1, 'who asked before gets what was found')
  assert.equal(cache.has('prices/mug'), false)
  assert.equal(await cache.fetch('prices/mug', async () => 2), 2)
})

test('who asks after an invalidation does not wait for the old lookup', async () => {
  const cache = new Cache()
  const old = slow()
  const first = cache.fetch('prices/mug', () => old.promise)
  cache.invalidate('prices/')
  assert.equal(await cache.fetch('prices/mug', async () => 2), 2)
  old.resolve(1)
  assert.equal(await first, 1)
  assert.equal(cache.get('prices/mug'), 2, 'the old lookup must not win because it ended later')
})

test('others are still shared while an old one ends', async () => {
  const cache = new Cache()
  const old = slow()
  const young = slow()
  let lookups = 0
  const first = cache.fetch('a', () => old.promise)
  cache.invalidate()
  const second = cache.fetch('a', () => { lookups++; return young.promise })
  old.resolve(1)
  await first
  const third = cache.fetch('a', () => { lookups++; return young.promise })
  young.resolve(2)
  assert.deepEqual(await Promise.all([second, third]), [2, 2])
  assert.equal(lookups, 1)
})

test('lookups of other keys go on', async () => {
  const cache = new Cache()
  const one = slow()
  const first = cache.fetch('names/mug', () => one.promise)
  cache.invalidate('prices/')
  one.resolve('Mug')
  await first
  assert.equal(cache.get('names/mug'), 'Mug')
})
