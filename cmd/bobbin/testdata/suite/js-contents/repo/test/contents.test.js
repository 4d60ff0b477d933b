import assert from 'node:assert/strict'
import { test } from 'node:test'

import { anchors, contents, headings, slug } from '../src/index.js'

test('slugs', () => {
  assert.equal(slug('How to install it?'), 'how-to-install-it')
  assert.equal(slug('snake_case and kebab-case'), 'snake_case-and-kebab-case')
  assert.equal(slug('C++ & C'), 'c--c')
})

test('anchors that are taken get a number', () => {
  assert.deepEqual(anchors(['Notes', 'Usage', 'Notes', 'Notes']), ['notes', 'usage', 'notes-1', 'notes-2'])
})

test('headings', () => {
  const text = '# Top #\n\ntext # not\n## `code` and **bold**\n#none\n```\n# within\n```\n### [a link](x.md)\n#### \n'
  assert.deepEqual(headings(text), [
    { level: 1, words: 'Top' },
    { level: 2, words: 'code and bold' },
    { level: 3, words: 'a link' },
  ])
})

test('contents', () => {
  assert.equal(contents('## One\n### Two\n#### Three\n## Four\n'), '- [One](#one)\n  - [Two](#two)\n- [Four](#four)')
  assert.equal(contents('nothing'), '')
})
