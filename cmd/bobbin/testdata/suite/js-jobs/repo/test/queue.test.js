import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Queue } from '../src/index.js'

const turn = () => new Promise(resolve => setImmediate(resolve))

test('jobs give their results', async () => {
  const queue = new Queue()
  assert.deepEqual(await Promise.all([queue.add(() => 1), queue.add(async () => 2)]), [1, 2])
  await queue.idle()
})

test('no more than so many at once', async () => {
  const queue = new Queue({ concurrency: 2 })
  let most = 0
  const job = async () => {
    most = Math.max(most, queue.running)
    await turn()
  }
  await Promise.all([1, 2, 3, 4, 5].map(() => queue.add(job)))
  assert.equal(most, 2)
})

test('a failure is the job\'s own', async () => {
  const queue = new Queue({ concurrency: 2 })
  await assert.rejects(queue.add(() => { throw new Error('no') }), /no/)
  assert.equal(await queue.add(() => 'yes'), 'yes')
})

test('pause and clear', async () => {
  const queue = new Queue()
  queue.pause()
  const job = queue.add(() => 1)
  assert.equal(queue.size, 1)
  queue.clear()
  await assert.rejects(job, /cleared/)
  await queue.idle()
  queue.resume()
  assert.equal(await queue.add(() => 2), 2)
})
