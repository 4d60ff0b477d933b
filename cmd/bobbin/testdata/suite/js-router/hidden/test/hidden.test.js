import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Router } from '../src/index.js'

const patterns = ['/files/:name', '/files/new', '/files/*path', '/files/:name/edit', '/files/new/:kind', '/:area/new']

function router(order) {
  const r = new Router()
  for (const pattern of order) r.add(pattern, pattern, parameters => ({ pattern, parameters }))
  return r
}

test('the order of declaration does not matter', () => {
  for (const order of [patterns, [...patterns].reverse(), [...patterns].sort()]) {
    const r = router(order)
    for (const [path, pattern, parameters] of [
      ['/files/new', '/files/new', {}],
      ['/files/a.txt', '/files/:name', { name: 'a.txt' }],
      ['/files/a/b/c', '/files/*path', { path: 'a/b/c' }],
      ['/files/a/edit', '/files/:name/edit', { name: 'a' }],
      ['/files/new/text', '/files/new/:kind', { kind: 'text' }],
      ['/users/new', '/:area/new', { area: 'users' }],
    ]) {
      assert.deepEqual(r.handle(path).body, { pattern, parameters }, path)
    }
  }
})

test('where a branch leads nowhere the others are tried', () => {
  const r = router(['/a/b/c', '/a/:x/d', '/:y/b/e', '/*rest'])
  assert.equal(r.handle('/a/b/c').body.pattern, '/a/b/c')
  assert.deepEqual(r.handle('/a/b/d').body, { pattern: '/a/:x/d', parameters: { x: 'b' } })
  assert.deepEqual(r.handle('/a/b/e').body, { pattern: '/:y/b/e', parameters: { y: 'a' } })
  assert.deepEqual(r.handle('/a/b').body, { pattern: '/*rest', parameters: { rest: 'a/b' } })
})

test('parts are decoded by themselves', () => {
  const r = router(['/files/:name', '/raw/*path'])
  assert.equal(r.handle('/files/50%25.txt').body.parameters.name, '50%.txt')
  assert.equal(r.handle('/files/a%2Fb.txt').body.parameters.name, 'a/b.txt')
  assert.equal(r.handle('/files/100%2525').body.parameters.name, '100%25')
  assert.equal(r.handle('/files/what%3F').body.parameters.name, 'what?')
  assert.equal(r.handle('/raw/a%20b/c').body.parameters.path, 'a b/c')
})

test('a malformed path is a 400', () => {
  const r = router(['/files/:name'])
  for (const path of ['/files/%zz', '/files/%', '/files/%C3']) assert.equal(r.handle(path).status, 400, path)
})

test('a link leads to where it came from', () => {
  const r = router(['/files/:name', '/raw/*path'])
  for (const name of ['a.txt', '50%.txt', 'a/b.txt', 'what?', 'x#y', 'résumé', 'a b', '%2F', 'a&b=c']) {
    assert.equal(r.handle(r.link('/files/:name', { name })).body.parameters.name, name)
  }
  for (const path of ['a/b', 'a b/50%', 'x/what?/y#z']) {
    assert.equal(r.handle(r.link('/raw/*path', { path })).body.parameters.path, path)
  }
  assert.equal(r.link('/raw/*path', { path: 'a/b c.txt' }), '/raw/a/b%20c.txt')
})
