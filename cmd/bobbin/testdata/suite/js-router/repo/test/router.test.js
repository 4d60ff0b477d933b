import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Router } from '../src/index.js'

const echo = name => (parameters, query) => ({ name, ...parameters, ...query })

function files() {
  return new Router()
    .add('home', '/', echo('home'))
    .add('list', '/files', echo('list'))
    .add('file', '/files/:name', echo('file'))
    .add('line', '/files/:name/lines/:line', echo('line'))
    .add('raw', '/raw/*path', echo('raw'))
}

test('paths find their handlers', () => {
  const router = files()
  for (const [path, want] of [
    ['/', { name: 'home' }],
    ['/files/', { name: 'list' }],
    ['/files/a.txt/lines/3', { name: 'a.txt', line: '3' }],
    ['/raw/a/b/c.txt', { name: 'raw', path: 'a/b/c.txt' }],
    ['/files?sort=name#top', { name: 'list', sort: 'name' }],
    ['/files/r%C3%A9sum%C3%A9', { name: 'résumé' }],
  ]) {
    assert.deepEqual(router.handle(path), { status: 200, body: want }, path)
  }
  for (const path of ['/nothing', '/files/a/lines', '/raw']) {
    assert.equal(router.handle(path).status, 404, path)
  }
})

test('links', () => {
  const router = files()
  assert.equal(router.link('line', { name: 'a.txt', line: 3 }), '/files/a.txt/lines/3')
  assert.equal(router.link('raw', { path: 'a/b c.txt' }), '/raw/a/b%20c.txt')
  assert.throws(() => router.link('file'), /name is missing/)
  assert.throws(() => router.link('nothing'), /no route/)
})

test('mistakes', () => {
  const router = files()
  assert.throws(() => router.add('file', '/other', echo('x')), /two routes/)
  assert.throws(() => router.add('again', '/files/:name', echo('x')), /already/)
  assert.throws(() => router.add('rest', '/x/*rest/y', echo('x')), /behind a rest/)
})
