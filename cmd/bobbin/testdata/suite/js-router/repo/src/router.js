import { fill, query, split } from './path.js'
import { Node } from './tree.js'

// A Router finds the handler of a path.
export class Router {
  #root = new Node()
  #patterns = new Map()

  // add declares a route: a name, a pattern such as /files/:name, and a handler.
  add(name, pattern, handler) {
    if (this.#patterns.has(name)) throw new Error(`there are two routes named ${name}`)
    const parts = pattern.split('/').filter(part => part !== '')
    const rest = parts.findIndex(part => part[0] === '*')
    if (rest >= 0 && rest < parts.length - 1) throw new Error(`${pattern}: nothing can stand behind a rest`)
    let node = this.#root
    for (const part of parts) node = node.at(part)
    if (node.route) throw new Error(`${pattern} is ${node.route.name} already`)
    node.route = { name, handler }
    this.#patterns.set(name, parts)
    return this
  }

  // handle answers a path.
  handle(path) {
    const found = this.#root.find(split(path))
    if (!found) return { status: 404, body: `nothing is at ${path}` }
    return { status: 200, body: found.route.handler(found.parameters, query(path)) }
  }

  // link makes the path of a route.
  link(name, values = {}) {
    const pattern = this.#patterns.get(name)
    if (!pattern) throw new Error(`there is no route ${name}`)
    return fill(pattern, values)
  }
}
