/** What clients are told of tools: secrets of this machine stay here. */
import { expect, test } from 'vitest'
import { openApi } from './desk.ts'
import { notes } from './notes.ts'

const SECRET = 'canary-q7Zr4Tn9-of-the-owner'

/** The secret stands where the line that clients see is cut. */
const note = `${'x'.repeat(71)} ${SECRET}`

async function open() {
  const script = [{ calls: [{ name: 'take_note', input: { note, more: [{ key: `${SECRET}!` }] } }] }, 'Done.']
  return openApi(() => script.shift() ?? '', { with: [notes], env: { OWNER_API_KEY: SECRET } })
}

test('a secret in the input of a tool is not in the chunks of a chat', async () => {
  const { ask } = await open()
  const body = { stream: true, messages: [{ role: 'user', content: 'go' }] }
  const text = await (await ask('/v1/chat/completions', { body })).text()
  expect(text).toMatch(/"label":"x{71} \*\*\*"/)
  expect(text).not.toContain('canary')
})

test('a secret in the input of a tool is not in a response, streamed or stored', async () => {
  const { ask, read } = await open()
  const text = await (await ask('/v1/responses', { body: { stream: true, input: 'go' } })).text()
  const id = /resp_[0-9a-f]+/.exec(text)?.[0]
  const { body } = await read(`/v1/responses/${id}`)
  expect(JSON.parse(body.output[0].arguments)).toEqual({ note: `${'x'.repeat(71)} ***`, more: [{ key: '***!' }] })
  expect(text + JSON.stringify(body)).not.toContain('canary')
})

test('a secret in the input of a tool is not in the events of a session', async () => {
  const { ask, read } = await open()
  const session = (await read('/api/sessions', { body: {} })).body.session.id
  const text = await (await ask(`/api/sessions/${session}/chat/stream`, { body: { message: 'go' } })).text()
  expect(text).toMatch(/"preview":"x{71} \*\*\*"/)
  expect(text).toContain('"key":"***!"')
  expect(text).not.toContain('canary')
})

test('a secret in the input of a tool is not in the events of a run', async () => {
  const { ask, read } = await open()
  const { body } = await read('/v1/runs', { body: { input: 'go' } })
  const text = await (await ask(`/v1/runs/${body.run_id}/events`)).text()
  expect(text).toMatch(/"preview":"x{71} \*\*\*"/)
  expect(text).not.toContain('canary')
})
