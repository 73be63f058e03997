import fc from 'fast-check'
import type { NetResponse } from 'svc/sdk'
import type { ModelEvent } from 'svc/sdk/provider'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { realNet } from '../../../../program/ports.ts'
import { ask, collectFailure, joinText, request } from '../../../support/ask-model.ts'
import { PreparedReply } from '../../../support/model-replies.ts'
import { customAt, serve } from './ask.ts'

test('an answer comes as text, usage and end', async () => {
  const server = await serve({ replies: ['Hello there.'] })
  expect(await ask(await customAt(server.url))).toEqual([
    { type: 'text', text: 'Hello there.' },
    { type: 'usage', usage: { input: 7, output: 1 } },
    { type: 'end', reason: 'stop' },
  ])
})

test('reasoning, text and tool calls arrive in order and whole', async () => {
  const calls = [
    { id: 'a', name: 'read_file', arguments: { path: 'notes.txt' }, pieces: 5 },
    { id: 'b', name: 'terminal', arguments: '{"command": oops', pieces: 3 },
  ]
  const server = await serve({
    replies: [{ reasoning: ['Hm, ', 'files.'], text: ['I ', 'look.'], calls, usage: 'none' }],
  })
  const events = await ask(await customAt(server.url))
  expect(joinText(events)).toBe('(Hm, files.)I look.')
  expect(events.slice(-3)).toEqual([
    { type: 'tool-call', call: { id: 'a', name: 'read_file', input: { path: 'notes.txt' } } },
    { type: 'tool-call', call: { id: 'b', name: 'terminal', input: '{"command": oops' } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test('a long answer at once is few batches of one text each', async () => {
  const server = await serve({ replies: [{ deltas: 5000 }] })
  const batches: (ModelEvent | readonly ModelEvent[])[] = []
  for await (const batch of (await customAt(server.url)).stream(request())) batches.push(batch)
  expect(batches.length).toBeLessThan(100)
  expect(batches.slice(0, -1).every((batch) => Array.isArray(batch) && batch.length === 1)).toBe(true)
  expect(joinText(batches.flat()).split(' ')).toHaveLength(5001)
})

test('an answer is the same however slowly its bytes come', async () => {
  const reply = { reasoning: 'Grüße ', text: ['naïve ', '漢字 🙂'], calls: [{ name: 't', arguments: { é: '🙂' } }] }
  const server = await serve({ replies: [reply, { ...reply, fault: 'slow' }] })
  const asked = await customAt(server.url)
  const [fast, slow] = [await ask(asked), await ask(asked)]
  expect(joinText(slow)).toBe('(Grüße )naïve 漢字 🙂')
  expect(slow.slice(-3)).toEqual(fast.slice(-3))
})

test('any split of the bytes gives the same answer', async () => {
  const bytes = new PreparedReply({
    reasoning: ['Ä', 'b'],
    text: ['1"', '漢\n', '🙂'],
    deltas: 9,
    calls: [{ name: 't' }],
  }).stream(true)
  let pieces: Uint8Array[] = []
  const response = (): NetResponse => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: (async function* () {
      yield* pieces
    })(),
    text: async () => '',
    json: async () => ({}) as never,
    close() {},
  })
  const asked = await customAt('http://model.test/v1', { net: { request: async () => response() } })
  pieces = [bytes]
  const expected = await ask(asked)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 }), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      const events = await ask(asked)
      expect(joinText(events)).toBe(joinText(expected))
      expect(events.slice(-3)).toEqual(expected.slice(-3))
    }),
  )
})

test('the connection is used again for the next call', async () => {
  const server = await serve({ replies: ['one', 'two', { text: 'three', fault: 'no-done' }, 'four'] })
  const asked = await customAt(server.url)
  for (let call = 0; call < 4; call++) await ask(asked)
  expect(server.connections).toBe(1)
})

test('a server that does not stream is understood', async () => {
  const body = new PreparedReply({ text: 'All at once.', calls: [{ id: 'c', name: 't' }] }).whole()
  const server = await serve({ replies: [{ fault: { status: 200, body } }] })
  expect(await ask(await customAt(server.url))).toEqual([
    { type: 'text', text: 'All at once.' },
    { type: 'tool-call', call: { id: 'c', name: 't', input: {} } },
    { type: 'usage', usage: { input: 7, output: 1 } },
    { type: 'end', reason: 'tool-calls' },
  ])
})

test('an answer that said why it ended is complete without a last word', async () => {
  const server = await serve({
    replies: [
      { text: 'Enough.', fault: 'no-done' },
      { text: 'Too lo', finish: 'length' },
      { finish: 'content_filter' },
    ],
  })
  const asked = await customAt(server.url)
  const ends = [await ask(asked), await ask(asked), await ask(asked)].map((events) => events.at(-1))
  expect(ends.map((end) => end?.type === 'end' && end.reason)).toEqual(['stop', 'length', 'filtered'])
})

test('what came before a cut has been said', async () => {
  const server = await serve({ replies: [{ deltas: 50, fault: 'cut' }] })
  const events = await ask(await customAt(server.url))
  expect(joinText(events)).toMatch(/^word0 word1 /)
  expect(events.at(-1)?.type).toBe('failed')
})

test('a server that falls silent is given up after ten minutes on this machine', async () => {
  const clock = virtualClock()
  const net = realNet(clock)
  onTestFinished(() => net.close())
  const server = await serve({ replies: [{ deltas: 50, fault: 'stall' }] })
  const asked = await customAt(server.url, { clock, net })
  const stream = asked.stream(request())[Symbol.asyncIterator]()
  const first = await stream.next()
  expect(joinText([first.value].flat())).toMatch(/^word0/)
  const rest = stream.next()
  await clock.advance(600_000)
  const [failed] = [(await rest).value].flat()
  expect(failed).toMatchObject({ type: 'failed', failure: { kind: 'timeout', retryable: true } })
  expect(failed.failure.message).toContain('sent nothing for 600 s')
})

test('an interrupted call ends as aborted, before and within its answer', async () => {
  const server = await serve({ replies: [{ deltas: 50, fault: 'stall' }] })
  const asked = await customAt(server.url)
  expect(await collectFailure(asked, { signal: AbortSignal.abort() })).toMatchObject({
    kind: 'aborted',
    retryable: false,
  })
  const abort = new AbortController()
  const failure = collectFailure(asked, { signal: abort.signal })
  await server.stalled
  abort.abort()
  expect(await failure).toMatchObject({ kind: 'aborted', retryable: false })
})

test('leaving a stream early closes its connection and leaves no timer behind', async () => {
  const clock = virtualClock()
  const net = realNet(clock)
  onTestFinished(() => net.close())
  const server = await serve({ replies: [{ deltas: 50, fault: 'stall' }] })
  const asked = await customAt(server.url, { clock, net })
  for await (const batch of asked.stream(request())) {
    expect(joinText([batch].flat())).toMatch(/^word0/)
    break
  }
  expect(clock.pending()).toBe(0)
  await server.idle()
})
