import assert from 'node:assert/strict'
import { test } from 'node:test'

import { find, parse, SearchError } from '../dist/index.js'

const names = { w: ['x', ['work']], wu: ['urgent', ['work']], h: ['x', ['home']], hu: ['urgent', ['home']], u: ['urgent', []], d: ['draft', []], o: ['old', []], do: ['old draft', []] }
const notes = Object.entries(names).map(([name, [text, tags]]) => ({ name, text, tags }))
const found = search => find(notes, search).map(note => note.name).join(' ')

test('or binds less than words side by side', () => {
  assert.equal(found('tag:work or tag:home urgent'), 'w wu hu')
  assert.equal(found('urgent tag:work or tag:home'), 'wu h hu')
  assert.equal(found('urgent (tag:work or tag:home)'), 'wu hu')
  assert.equal(found('tag:work urgent or old draft or tag:home -urgent'), 'wu h do')
})

test('what is not wanted', () => {
  assert.equal(found('-(draft or old)'), 'w wu h hu u')
  assert.equal(found('-(draft old)'), 'w wu h hu u d o')
  assert.equal(found('old -(draft)'), 'o')
  assert.equal(found('--old'), 'o do')
  assert.equal(found('-(-(draft or old))'), 'd o do')
  assert.equal(found('-(tag:work or -urgent)'), 'hu u')
  assert.equal(found('-()'), '', 'nothing is without everything')
})

test('quotes in phrases', () => {
  const disks = [{ text: 'a 5" disk', tags: [] }, { text: 'a 5\\ disk', tags: [] }, { text: 'a 5 disk', tags: [] }]
  const which = search => find(disks, search).map(note => disks.indexOf(note))
  assert.deepEqual(which(String.raw`"5\" disk"`), [0])
  assert.deepEqual(which(String.raw`"5\\ disk"`), [1])
  assert.deepEqual(which(String.raw`"5 disk" or "5\""`), [0, 2])
  assert.deepEqual(which(String.raw`-"5\""`), [1, 2])
  for (const search of [String.raw`"5\"`, String.raw`"5\\\"`]) {
    assert.throws(() => parse(search), error => error instanceof SearchError && error.at === 0, search)
  }
})

test('mistakes still tell where', () => {
  for (const [search, at] of [['red or or blue', 7], ['(or red)', 1], ['red or', 6], ['(red or )', 8], ['or', 0]]) {
    assert.throws(() => parse(search), error => error instanceof SearchError && error.at === at, search)
  }
})
