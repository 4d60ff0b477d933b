import assert from 'node:assert/strict'
import { test } from 'node:test'

import { anchors, contents, headings, slug } from '../src/index.js'

test('letters of all languages stay', () => {
  assert.equal(slug('Übersicht'), 'übersicht')
  assert.equal(slug('安装'), '安装')
  assert.equal(slug('Что нового?'), 'что-нового')
  assert.equal(slug('Größe: 5 µm'), 'größe-5-µm')
  assert.equal(slug('हिन्दी'), 'हिन्दी', 'marks belong to their letters')
  assert.equal(slug('Ready 🎉 go'), 'ready--go')
  assert.equal(slug('٣ steps'), '٣-steps')
})

test('no two anchors are the same', () => {
  for (const list of [
    ['Notes', 'Notes 1', 'Notes', 'Notes'],
    ['Notes 1', 'Notes', 'Notes', 'Notes'],
    ['Notes', 'Notes', 'Notes 1', 'Notes-1'],
    ['a', 'a', 'a 1', 'a 1', 'a-1-1', 'a'],
    ['?', '!', '?'],
  ]) {
    const got = anchors(list)
    assert.equal(new Set(got).size, list.length, `${list}: ${got}`)
  }
  assert.deepEqual(anchors(['Notes', 'Notes 1', 'Notes']), ['notes', 'notes-1', 'notes-2'])
  assert.deepEqual(anchors(['Notes', 'Notes', 'Notes']), ['notes', 'notes-1', 'notes-2'])
})

test('fences of both kinds, and of any length', () => {
  for (const [open, close] of [['```', '```'], ['~~~', '~~~'], ['````', '````'], ['```sh', '```'], ['  ~~~~ sh', '~~~~~']]) {
    assert.deepEqual(headings(`# A\n${open}\n# make\n${close}\n# B`).map(h => h.words), ['A', 'B'], open)
  }
  assert.deepEqual(headings('````\n```\n# make\n```\n# test\n````\n# B').map(h => h.words), ['B'], 'a shorter fence closes nothing')
  assert.deepEqual(headings('~~~\n```\n# make\n~~~\n# B').map(h => h.words), ['B'], 'another kind closes nothing')
  assert.deepEqual(headings('```\n``` sh\n# make\n```\n# B').map(h => h.words), ['B'], 'what has words closes nothing')
  assert.deepEqual(headings('```\n# to the end').map(h => h.words), [])
})

test('contents use them', () => {
  assert.equal(contents('# Übersicht\n~~~\n# x\n~~~\n# Übersicht'), '- [Übersicht](#übersicht)\n- [Übersicht](#übersicht-1)')
})
