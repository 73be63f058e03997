/** What is said of responses that the end of the server cut off. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openApi } from './desk.ts'
import { notes } from './notes.ts'

/** The disk as it is while the second round of a response is under way. */
async function crashed(conversation?: string): Promise<{ home: string; id: string }> {
  const [home, copy] = [temporaryFolder(), join(temporaryFolder(), 'home')]
  const script = [
    { text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] },
    { gate: new Promise<void>(() => {}) },
  ]
  const { ask, model } = await openApi(() => script.shift() ?? '', { home, with: [notes] })
  const leaving = new AbortController()
  const body = { input: 'Note: milk', stream: true, conversation }
  const stream = await ask('/v1/responses', { body, signal: leaving.signal })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('mcp_call.completed') || model.requests.length < 2) seen += (await reader?.read())?.value ?? ''
  cpSync(home, copy, { recursive: true })
  leaving.abort()
  return { home: copy, id: /resp_[0-9a-f]+/.exec(seen)?.[0] ?? '' }
}

test('a response that a crash cut off is incomplete after the start, with what it had done', async () => {
  const { home, id } = await crashed()
  const { read } = await openApi(['never'], { home, with: [notes] })
  const { body } = await read(`/v1/responses/${id}`)
  expect(body).toMatchObject({
    id,
    status: 'incomplete',
    incomplete_details: { reason: 'interrupted' },
    completed_at: null,
  })
  expect(body.output).toMatchObject([
    { type: 'message', status: 'completed', content: [{ text: 'Let me see.' }] },
    { type: 'mcp_call', status: 'completed', output: 'noted' },
  ])
})

test('a chain continues from a response that a crash cut off', async () => {
  const { home, id } = await crashed('trip')
  const { read, heard } = await openApi(['On we go.', 'And on.'], { home, with: [notes] })
  const next = await read('/v1/responses', { body: { input: 'Go on', previous_response_id: id } })
  expect([next.status, next.body.status]).toEqual([200, 'completed'])
  expect(heard()[0]).toBe('user: Note: milk')
  expect(heard().at(-1)).toBe('user: Go on')
  expect((await read('/v1/responses', { body: { input: 'b', conversation: 'trip' } })).status).toBe(200)
  expect(heard()[0]).toBe('user: Note: milk')
})
