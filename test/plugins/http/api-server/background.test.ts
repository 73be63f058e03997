/** Responses that continue without their client. */
import { expect, test } from 'vitest'
import { openApi, parseResponseEvents } from './desk.ts'
import { notes } from './notes.ts'

function gated() {
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  return { gate, goOn: () => goOn() }
}

test('a response in the background is answered at once, continues, and is there when it is asked for', async () => {
  const { gate, goOn } = gated()
  const { read } = await openApi([{ gate, text: 'Late.' }])
  const { status, body } = await read('/v1/responses', { body: { input: 'a', background: true } })
  expect([status, body.status, body.background, body.output]).toEqual([200, 'in_progress', true, []])
  const look = async () => (await read(`/v1/responses/${body.id}`)).body
  expect((await look()).status).toBe('in_progress')
  goOn()
  await expect.poll(async () => (await look()).status, { interval: 1 }).toBe('completed')
  expect((await look()).output[0].content[0].text).toBe('Late.')
})

test('anyone who comes later follows a response in the background from the event behind the one it saw last', async () => {
  const { gate, goOn } = gated()
  const script = [
    { text: 'First.', calls: [{ name: 'take_note', input: { note: 'x' } }] },
    { gate, text: 'Second.' },
  ]
  const { ask, read } = await openApi(() => script.shift() ?? '', { with: [notes] })
  const { body } = await read('/v1/responses', { body: { input: 'a', background: true } })
  const follow = async (query: string) =>
    parseResponseEvents(await (await ask(`/v1/responses/${body.id}?stream=true${query}`)).text()).map(
      ({ data }) => data,
    )
  const reading = [follow(''), follow('&starting_after=3')]
  await read(`/v1/responses/${body.id}`)
  goOn()
  const [all = [], rest = []] = await Promise.all(reading)
  expect(all.map((data) => data.sequence_number)).toEqual(all.map((_, at) => at))
  expect(all.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
  expect(rest).toEqual(all.slice(4))
})

test('a response that is over can be read as a stream, and who has seen a part of it gets its end', async () => {
  const { ask, read } = await openApi(['Hello.'])
  const { body } = await read('/v1/responses', { body: { input: 'a' } })
  const follow = async (query: string) =>
    parseResponseEvents(await (await ask(`/v1/responses/${body.id}?stream=true${query}`)).text()).map(
      ({ data }) => data,
    )
  const all = await follow('')
  expect(all.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(await follow('&starting_after=40')).toEqual([
    { type: 'response.completed', sequence_number: 41, response: body },
  ])
})

test('a response in the background can be cancelled, and its place is free again', async () => {
  const script = [{ text: 'Half', gate: new Promise<void>(() => {}) }, 'Other.']
  const { read, model } = await openApi(script, { config: { max_concurrent_runs: 1 } })
  const { body } = await read('/v1/responses', { body: { input: 'a', background: true } })
  // Cancelled earlier, it would leave the reply that never ends to the next request.
  await expect.poll(() => model.requests.length, { interval: 1 }).toBe(1)
  const cancelled = await read(`/v1/responses/${body.id}/cancel`, { method: 'POST' })
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
  expect((await read(`/v1/responses/${body.id}`)).body).toEqual(cancelled.body)
  expect((await read(`/v1/responses/${body.id}/cancel`, { method: 'POST' })).body.status).toBe('cancelled')
  expect((await read('/v1/responses', { body: { input: 'b' } })).status).toBe(200)
})

test('a response that had its client cannot be cancelled', async () => {
  const { read } = await openApi(['One.'])
  const { body } = await read('/v1/responses', { body: { input: 'a' } })
  const reply = await read(`/v1/responses/${body.id}/cancel`, { method: 'POST' })
  expect([reply.status, reply.body.error.code]).toEqual([400, 'not_in_background'])
})

test('a response in the background that was removed stays away when it ends', async () => {
  const { gate, goOn } = gated()
  const { read } = await openApi([{ gate, text: 'Late.' }, 'x'])
  const { body } = await read('/v1/responses', { body: { input: 'a', background: true } })
  expect((await read(`/v1/responses/${body.id}`, { method: 'DELETE' })).status).toBe(200)
  goOn()
  await read('/v1/responses', { body: { input: 'b' } })
  expect((await read(`/v1/responses/${body.id}`)).status).toBe(404)
})

test('what is not stored cannot be done in the background', async () => {
  const { read } = await openApi(['never'])
  const reply = await read('/v1/responses', { body: { input: 'a', background: true, store: 'false' } })
  expect([reply.status, reply.body.error.param]).toEqual([400, 'background'])
})

test('what was said to a response can be asked for, the last first', async () => {
  const { read } = await openApi(['x'])
  const input = [
    { role: 'user', content: 'a' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { role: 'user', content: 'b' },
  ]
  const { body } = await read('/v1/responses', { body: { input } })
  const items = async (query = '') => (await read(`/v1/responses/${body.id}/input_items${query}`)).body
  const all = await items()
  expect(all).toMatchObject({
    object: 'list',
    has_more: false,
    data: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'b' }] },
      { type: 'reasoning', id: 'rs_1' },
      { content: [{ text: 'a' }] },
    ],
  })
  expect((await items('?order=asc&limit=2')).data).toEqual([...all.data].reverse().slice(0, 2))
  expect((await items(`?after=${all.data[1].id}`)).data).toEqual(all.data.slice(2))
})
