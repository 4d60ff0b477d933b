import { within } from './timeout.js'
import { Waiting } from './waiting.js'

// A Queue runs jobs.
export class Queue {
  #waiting = new Waiting()
  #running = 0
  #paused = false
  #idle = []

  constructor({ concurrency = 1, timeout = 0 } = {}) {
    if (!(concurrency >= 1)) throw new RangeError('a queue runs one job at least')
    this.concurrency = concurrency
    this.timeout = timeout
  }

  // add runs a function sooner or later, and gives what it gives.
  add(run, { priority = 0, timeout = this.timeout } = {}) {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ run, priority, timeout, resolve, reject })
      this.#next()
    })
  }

  // size is how many jobs wait.
  get size() {
    return this.#waiting.length
  }

  // running is how many jobs are under way.
  get running() {
    return this.#running
  }

  pause() {
    this.#paused = true
  }

  resume() {
    this.#paused = false
    this.#next()
  }

  // clear drops the jobs that wait; their promises reject.
  clear(reason = new Error('the queue was cleared')) {
    for (const job of this.#waiting.clear()) job.reject(reason)
    this.#tellIdle()
  }

  // idle resolves when nothing waits and nothing runs.
  idle() {
    if (this.#running === 0 && this.size === 0) return Promise.resolve()
    return new Promise(resolve => this.#idle.push(resolve))
  }

  #next() {
    while (!this.#paused && this.#running < this.concurrency && this.size > 0) {
      this.#start(this.#waiting.take())
    }
  }

  async #start(job) {
    this.#running++
    try {
      const result = await within(Promise.resolve(job.run()), job.timeout)
      this.#running--
      job.resolve(result)
    } catch (error) {
      job.reject(error)
      return
    }
    this.#tellIdle()
    this.#next()
  }

  #tellIdle() {
    if (this.#running > 0 || this.size > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}
