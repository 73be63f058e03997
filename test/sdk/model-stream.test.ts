import type { NetResponse } from 'svc/sdk'
import { AnswerBuilder } from 'svc/sdk/provider'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { readAnswer } from '../../sdk/model-stream.ts'

test('the parts of an answer come in order, texts in a row as one', () => {
  const parts = new AnswerBuilder(() => 'new')
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
    new AnswerBuilder(() => 'new')
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

test('a call that came twice with its id is one call, and one without an id is as many as came', () => {
  const once = { id: 'a', name: 'write_file', input: '{"path":"x"}' }
  const named = { id: '', name: 'greet', input: '' }
  const events = new AnswerBuilder(() => 'new').end({
    calls: [once, { ...once, input: { path: 'x' } }, named, named],
    stopped: 'stop',
  })
  expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.call.name] : []))).toEqual([
    'write_file',
    'greet',
    'greet',
  ])
})

test('what comes behind the last event does not count, however the bytes were cut', async () => {
  const said: string[] = []
  const answer = {
    done: false,
    finished: true,
    error: undefined,
    garbled: undefined,
    add(data: string) {
      said.push(data)
      if (data === 'last') this.done = true
    },
    take: () => [],
    end: () => [],
  }
  const body = (async function* () {
    yield new TextEncoder().encode('data: one\n\ndata: last\n\ndata: more\n\n')
  })()
  const response = { status: 200, headers: {}, body, text: async () => '', close: () => {} } as unknown as NetResponse
  const { signal } = new AbortController()
  for await (const _ of readAnswer(response, answer, { signal, clock: virtualClock() }));
  expect(said).toEqual(['one', 'last'])
})
