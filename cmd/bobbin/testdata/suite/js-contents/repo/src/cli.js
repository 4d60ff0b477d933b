#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { contents } from './index.js'

const [name, depth] = process.argv.slice(2)
if (!name) {
  console.error('usage: contents FILE [DEPTH]')
  process.exit(2)
}
console.log(contents(await readFile(name, 'utf8'), depth ? { depth: Number(depth) } : {}))
