import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Queue, TimeoutError } from '../src/index.js'

const soon = promise => Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error('it stands still')), 2000).unref())])

test('failures free their places', async () => {
  const queue = new Queue({ concurrency: 3 })
  const outcomes = await soon(Promise.allSettled(Array.from({ length: 12 }, (_, i) => queue.add(async () => {
    if (i % 2) throw new Error(`job ${i}`)
    return i
  }))))
  assert.equal(outcomes.filter(o => o.status === 'rejected').length, 6)
  await soon(queue.idle())
  assert.equal(queue.running, 0)
})

test('a job that throws at once frees its place', async () => {
  const queue = new Queue()
  await assert.rejects(soon(queue.add(() => { throw new Error('no') })), /no/)
  assert.equal(await soon(queue.add(() => 'yes')), 'yes')
})

test('a timeout frees its place', async () => {
  const queue = new Queue({ timeout: 5 })
  await assert.rejects(soon(queue.add(() => new Promise(() => {}))), TimeoutError)
  assert.equal(await soon(queue.add(() => 'next')), 'next')
  await soon(queue.idle())
})

test('idle waits for the last failure', async () => {
  const queue = new Queue()
  const job = queue.add(async () => { throw new Error('no') })
  const idle = queue.idle()
  await assert.rejects(soon(job))
  await soon(idle)
})

test('higher priorities first, then in order', async () => {
  const queue = new Queue()
  queue.pause()
  const ran = []
  const jobs = [['a', 0], ['b', 5], ['c', 0], ['d', 9], ['e', 5], ['f', -1], ['g', 0]].map(([name, priority]) => queue.add(() => ran.push(name), { priority }))
  queue.resume()
  await soon(Promise.all(jobs))
  assert.deepEqual(ran.join(''), 'dbeacgf')
})
