import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Cache } from '../src/index.js'

function clock() {
  const c = { time: 0 }
  c.now = () => c.time
  return c
}

test('values are kept for their life', () => {
  const c = clock()
  const cache = new Cache({ life: 10, now: c.now })
  cache.set('a', 1)
  assert.equal(cache.get('a'), 1)
  c.time = 10
  assert.equal(cache.get('a'), undefined)
  assert.deepEqual([cache.hits, cache.misses, cache.length], [1, 1, 0])
})

test('what was used longest ago goes first', () => {
  const cache = new Cache({ size: 2 })
  cache.set('a', 1).set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  assert.deepEqual([cache.has('a'), cache.has('b'), cache.has('c')], [true, false, true])
})

test('what is over goes before what is not', () => {
  const c = clock()
  const cache = new Cache({ size: 2, life: 10, now: c.now })
  cache.set('a', 1)
  c.time = 5
  cache.set('b', 2)
  cache.get('a')
  c.time = 12
  cache.set('c', 3)
  assert.deepEqual([cache.has('b'), cache.has('c')], [true, true])
})

test('one lookup for all who wait', async () => {
  const cache = new Cache()
  let lookups = 0
  const lookup = async () => ++lookups
  assert.deepEqual(await Promise.all([cache.fetch('a', lookup), cache.fetch('a', lookup)]), [1, 1])
  assert.equal(await cache.fetch('a', lookup), 1)
  await assert.rejects(cache.fetch('b', async () => { throw new Error('away') }), /away/)
  assert.equal(await cache.fetch('b', lookup), 2)
})

test('invalidate drops what begins so', () => {
  const cache = new Cache()
  cache.set('prices/mug', 1).set('prices/cup', 2).set('names/mug', 3)
  assert.equal(cache.invalidate('prices/'), 2)
  assert.deepEqual([cache.has('prices/mug'), cache.has('names/mug')], [false, true])
})
