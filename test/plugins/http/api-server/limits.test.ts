/** Bodies that would hold up everybody, and keys that can be guessed. */
import { expect, test, vi } from 'vitest'
import { openApi } from './desk.ts'

test.each([
  ['nothing but open lists', '['.repeat(9_900_000)],
  ['half a million keys', `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
  ['two hundred thousand messages', `{"messages":[${'{},'.repeat(200_000)}{}]}`],
  ['two megabytes of words', JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] })],
])('%s are refused before they are parsed', async (_name, body) => {
  const api = await openApi(['never said'])
  const parse = vi.spyOn(JSON, 'parse')
  const response = await api.ask('/v1/chat/completions', { body })
  const long = parse.mock.calls.filter(([text]) => text.length > 100_000)
  parse.mockRestore()
  expect([response.status, long.length]).toEqual([413, 0])
  expect(api.model.requests).toEqual([])
})

test('more messages than a model can be given are refused', async () => {
  const api = await openApi(['never said'])
  const messages = Array.from({ length: 4001 }, () => ({ role: 'user', content: 'x' }))
  expect((await api.read('/v1/chat/completions', { body: { messages } })).status).toBe(400)
})

test.each(['aaaaaaaaaaaaaaaaaaaa', 'abcabcabcabcabcabc', 'short'])('the key %s opens no server', async (key) => {
  await expect(openApi(['x'], { env: { API_SERVER_KEY: key } })).rejects.toThrow(/does not listen.*API_SERVER_KEY has/)
})
