import { List } from './list.js'
import type { AnyListener, Listener, Off } from './types.js'

// A Bus sends events to those who listen.
export class Bus<Events extends object> {
  #lists = new Map<keyof Events, List<Listener<never>>>()
  #any = new List<(name: never, payload: never) => void>()

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Off {
    return this.#list(name).add(listener)
  }

  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): Off {
    return this.#list(name).add(listener, 1)
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#lists.get(name)?.remove(listener)
  }

  // any adds a listener for all events.
  any(listener: AnyListener<Events>): Off {
    return this.#any.add(listener as (name: never, payload: never) => void)
  }

  // emit sends an event, and tells whether anybody listened.
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): boolean {
    const list = this.#lists.get(name)
    const heard = (list?.length ?? 0) + this.#any.length > 0
    list?.each([payload as never])
    for (const call of this.#any.snapshot()) call(name as never, payload as never)
    return heard
  }

  // count is how many listen to an event, those of all events left out.
  count(name: keyof Events): number {
    return this.#lists.get(name)?.length ?? 0
  }

  // clear removes the listeners of an event, or all.
  clear(name?: keyof Events): void {
    if (name !== undefined) {
      this.#lists.get(name)?.clear()
      return
    }
    for (const list of this.#lists.values()) list.clear()
    this.#any.clear()
  }

  #list<Name extends keyof Events>(name: Name): List<Listener<never>> {
    let list = this.#lists.get(name)
    if (!list) {
      list = new List()
      this.#lists.set(name, list)
    }
    return list
  }
}
