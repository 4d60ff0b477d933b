// An Entry is a value with the time until which it counts.
export class Entry {
  constructor(value, until) {
    this.value = value
    this.until = until
  }

  isOver(now) {
    return now >= this.until
  }
}
