// A List keeps listeners in their order.
export class List<Call extends (...args: never[]) => void> {
  #items: { call: Call, times: number }[] = []

  get length(): number {
    return this.#items.length
  }

  // add adds a listener that is called so many times at most, and gives what removes it.
  add(call: Call, times = Infinity): () => void {
    const item = { call, times }
    this.#items.push(item)
    return () => {
      const at = this.#items.indexOf(item)
      if (at >= 0) this.#items.splice(at, 1)
    }
  }

  remove(call: Call): void {
    const at = this.#items.findIndex(item => item.call === call)
    if (at >= 0) this.#items.splice(at, 1)
  }

  clear(): void {
    this.#items.length = 0
  }

  // each calls all listeners.
  each(args: Parameters<Call>): void {
    for (let i = 0; i < this.#items.length; i++) {
      const item = this.#items[i]!
      item.times--
      if (item.times <= 0) this.#items.splice(i, 1)
      item.call(...args)
    }
  }

  // snapshot gives the listeners as they are now.
  snapshot(): Call[] {
    return this.#items.map(item => item.call)
  }
}
