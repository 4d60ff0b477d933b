// A Node of the tree of routes: its children in the order in which they were added.
export class Node {
  children = []
  route = null

  constructor(part = '') {
    this.part = part
  }

  // at gives the child for a part of a pattern, made where it is missing.
  at(part) {
    let child = this.children.find(c => c.part === part)
    if (!child) {
      child = new Node(part)
      this.children.push(child)
    }
    return child
  }

  // find gives the route for some parts, with its parameters; null where there is none.
  find(parts, parameters = {}) {
    if (parts.length === 0) return this.route && { route: this.route, parameters }
    const [first, ...rest] = parts
    for (const child of this.children) {
      const name = child.part.slice(1)
      if (child.part[0] === '*') {
        return child.route && { route: child.route, parameters: { ...parameters, [name]: parts.join('/') } }
      }
      if (child.part[0] === ':') {
        return child.find(rest, { ...parameters, [name]: first })
      }
      if (child.part === first) {
        return child.find(rest, parameters)
      }
    }
    return null
  }
}
