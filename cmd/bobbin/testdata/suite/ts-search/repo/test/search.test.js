import assert from 'node:assert/strict'
import { test } from 'node:test'

import { find, parse, SearchError } from '../dist/index.js'

const notes = [
  { text: 'Red car for sale', tags: ['work'] },
  { text: 'Blue car', tags: ['home'] },
  { text: 'A car that is red', tags: [] },
]

const found = search => find(notes, search).map(note => notes.indexOf(note))

test('words, phrases and tags', () => {
  assert.deepEqual(found('car'), [0, 1, 2])
  assert.deepEqual(found('red car'), [0, 2])
  assert.deepEqual(found('"red car"'), [0])
  assert.deepEqual(found('tag:Home'), [1])
  assert.deepEqual(found(''), [0, 1, 2])
})

test('or and not', () => {
  assert.deepEqual(found('sale or blue'), [0, 1])
  assert.deepEqual(found('car -red'), [1])
  assert.deepEqual(found('car (sale or blue)'), [0, 1])
})

test('mistakes tell where', () => {
  for (const [search, at] of [['(red', 0], ['red)', 3], ['or red', 0], ['red or', 6], ['"red', 0], ['-', 1]]) {
    assert.throws(() => parse(search), error => error instanceof SearchError && error.at === at, search)
  }
})
