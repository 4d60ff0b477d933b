import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Bus, until } from '../dist/index.js'

function listening(...names) {
  const bus = new Bus()
  const heard = []
  return { bus, heard, hear: name => () => heard.push(name) }
}

test('who stands behind a listener that goes hears the event', () => {
  const { bus, heard, hear } = listening()
  bus.once('e', hear('a'))
  bus.once('e', hear('b'))
  bus.on('e', hear('c'))
  const off = bus.on('e', () => { heard.push('d'); off() })
  bus.on('e', hear('f'))
  bus.emit('e')
  assert.equal(heard.join(''), 'abcdf')
  bus.emit('e')
  assert.equal(heard.join(''), 'abcdfcf')
})

test('who is removed before its turn hears nothing', () => {
  for (const add of [(bus, f) => bus.on('e', f), (bus, f) => bus.any(f)]) {
    const { bus, heard, hear } = listening()
    add(bus, () => { heard.push('a'); off() })
    const off = add(bus, hear('b'))
    add(bus, hear('c'))
    bus.emit('e')
    assert.equal(heard.join(''), 'ac')
  }
  const { bus, heard, hear } = listening()
  bus.on('e', () => { heard.push('a'); bus.clear() })
  bus.on('e', hear('b'))
  bus.any(hear('c'))
  bus.emit('e')
  assert.equal(heard.join(''), 'a')
})

test('who is added while an event is sent hears the next one', () => {
  for (const add of [(bus, f) => bus.on('e', f), (bus, f) => bus.any(f)]) {
    const { bus, heard, hear } = listening()
    const off = add(bus, () => { heard.push('a'); off(); add(bus, hear('b')) })
    bus.emit('e')
    assert.equal(heard.join(''), 'a')
    bus.emit('e')
    assert.equal(heard.join(''), 'ab')
  }
})

test('a listener that sends the event again hears it once', () => {
  const { bus, heard } = listening()
  bus.once('e', n => { heard.push(n); bus.emit('e', n + 1) })
  bus.emit('e', 1)
  assert.deepEqual(heard, [1])
})

test('what is thrown keeps nobody from hearing', () => {
  const { bus, heard, hear } = listening()
  bus.once('e', () => { throw new Error('one') })
  bus.on('e', hear('a'))
  bus.any(hear('b'))
  assert.throws(() => bus.emit('e'), /^Error: one$/)
  assert.equal(heard.join(''), 'ab')
  assert.equal(bus.emit('e'), true)
})

test('several errors come together', () => {
  const { bus } = listening()
  bus.on('e', () => { throw new Error('one') })
  bus.any(() => { throw new Error('two') })
  assert.throws(() => bus.emit('e'), error => error instanceof AggregateError && error.errors.map(e => e.message).join() === 'one,two')
})

test('until leaves others alone', async () => {
  const { bus, heard, hear } = listening()
  const first = until(bus, 'e')
  bus.on('e', hear('a'))
  bus.emit('e', 1)
  assert.equal(await first, 1)
  assert.equal(heard.join(''), 'a')
})
