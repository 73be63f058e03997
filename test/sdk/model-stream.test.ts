import { AnswerParts } from 'svc/sdk'
import { expect, test } from 'vitest'

test('the parts of an answer come in order, texts in a row as one', () => {
  const parts = new AnswerParts(() => 'new')
  parts.append('text', 'a')
  parts.append('text', 'b')
  parts.append('reasoning', 'c')
  parts.add({ type: 'image', image: { mediaType: 'image/png', data: 'QUJD' } })
  parts.append('reasoning', 'd')
  expect(parts.take().map((event) => ('text' in event ? event.text : event.type))).toEqual(['ab', 'c', 'image', 'd'])
  expect(parts.take()).toEqual([])
})

test('an answer that was cut leaves out the calls that were cut with it', () => {
  const calls = [
    { id: '', name: '', input: '' },
    { id: 'a', name: 't', input: '{"b": 1' },
    { id: 'a', name: 't', input: { c: 2 } },
  ]
  const idsAndInputs = (stopped: 'stop' | 'length') =>
    new AnswerParts(() => 'new')
      .end({ calls, stopped })
      .map((event) => (event.type === 'tool-call' ? [event.call.id, event.call.input] : event))
  expect(idsAndInputs('stop')).toEqual([
    ['new', {}],
    ['a', '{"b": 1'],
    ['new', { c: 2 }],
    { type: 'end', reason: 'tool-calls' },
  ])
  expect(idsAndInputs('length')).toEqual([['new', {}], ['a', { c: 2 }], { type: 'end', reason: 'length' }])
})
