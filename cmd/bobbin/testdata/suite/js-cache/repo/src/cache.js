import { Entry } from './entry.js'

// A Cache keeps the newest values. life is in milliseconds, now gives the time like Date.now.
export class Cache {
  #entries = new Map() // what was used longest ago comes first
  #lookups = new Map()

  constructor({ size = 100, life = Infinity, now = Date.now } = {}) {
    if (!(size > 0)) throw new RangeError('a cache needs room for one value')
    this.size = size
    this.life = life
    this.now = now
    this.hits = 0
    this.misses = 0
  }

  // get gives the value of a key; undefined where there is none.
  get(key) {
    const entry = this.#entries.get(key)
    if (!entry || entry.isOver(this.now())) {
      this.#entries.delete(key)
      this.misses++
      return undefined
    }
    this.#touch(key, entry)
    this.hits++
    return entry.value
  }

  // has tells whether get would give a value. It does not count as a use.
  has(key) {
    const entry = this.#entries.get(key)
    return entry !== undefined && !entry.isOver(this.now())
  }

  // set keeps a value for the cache's life.
  set(key, value) {
    const entry = this.#entries.get(key)
    if (entry) {
      entry.value = value
      return this
    }
    this.#entries.set(key, new Entry(value, this.now() + this.life))
    this.#shrink()
    return this
  }

  // fetch gives the value of a key, and looks it up where there is none.
  async fetch(key, lookup) {
    const value = this.get(key)
    if (value !== undefined) return value
    let pending = this.#lookups.get(key)
    if (!pending) {
      pending = this.#lookUp(key, lookup)
      this.#lookups.set(key, pending)
    }
    return pending
  }

  async #lookUp(key, lookup) {
    try {
      const value = await lookup(key)
      this.set(key, value)
      return value
    } finally {
      this.#lookups.delete(key)
    }
  }

  // invalidate drops what is kept under keys that begin so, and tells how much that was.
  invalidate(prefix = '') {
    let dropped = 0
    for (const key of this.#entries.keys()) {
      if (key.startsWith(prefix)) {
        this.#entries.delete(key)
        dropped++
      }
    }
    return dropped
  }

  // length is how many values are kept, those that are over included.
  get length() {
    return this.#entries.size
  }

  #touch(key, entry) {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
  }

  #shrink() {
    const now = this.now()
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.size) return
      if (entry.isOver(now)) this.#entries.delete(key)
    }
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.size) return
      this.#entries.delete(key)
    }
  }
}
