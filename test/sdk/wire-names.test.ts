import type { Message } from 'svc/sdk'
import { shortenToolCallId } from 'svc/sdk/kit/wire'
import type { ModelEvent, ModelRequest } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { fittedName, wireNames } from '../../sdk/wire-names.ts'

const signal = new AbortController().signal
const createTool = (name: string) => ({ name, description: '', parameters: {} })
const called = (name: string): Message => ({ role: 'assistant', text: '', toolCalls: [{ id: 'a', name, input: {} }] })

function requestWith(more: Partial<ModelRequest>): ModelRequest {
  return { model: 'm', messages: [], tools: [], signal, ...more }
}

test.for(['read_file', '_x', 'mcp__server-1__tool', 'x'.repeat(64)])('the name %s goes out as it is', (name) => {
  expect(fittedName(name)).toBe(name)
  expect(wireNames(requestWith({ tools: [createTool(name)], messages: [called(name)] }))).toBeUndefined()
})

test.for(['mcp.files.read', 'read file', '1st', 'dateien_lösen', 'x'.repeat(65), '', 'a:b'])(
  'the name "%s" goes out in a form that every service takes, and calls of it come back by its own',
  (name) => {
    const names = wireNames(requestWith({ tools: [createTool('plain'), createTool(name)], messages: [called(name)] }))
    const [plain, odd] = names?.request.tools ?? []
    expect([plain?.name, odd?.name]).toEqual(['plain', expect.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)])
    expect(names?.request.messages).toEqual([called(odd?.name ?? '')])
    const call = (of: string): ModelEvent => ({ type: 'tool-call', call: { id: 'b', name: of, input: {} } })
    const end: ModelEvent = { type: 'end', reason: 'stop' }
    expect(names?.restore([call(odd?.name ?? ''), call('plain'), end])).toEqual([call(name), call('plain'), end])
  },
)

test('names that differ in what is not allowed stay two names', () => {
  const names = ['a.b', 'a:b', 'a b', 'a_b', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`].map(fittedName)
  expect(new Set(names).size).toBe(6)
})

test('what is renamed is the same object at every step, so that it is written once', () => {
  const request = requestWith({ tools: [createTool('a.b')], messages: [called('a.b')] })
  const [first, second] = [wireNames(request)?.request, wireNames({ ...request })?.request]
  expect(first?.tools[0]).toBe(second?.tools[0])
  expect(first?.messages[0]).toBe(second?.messages[0])
})

test('an id of another service has 64 letters at most, and a call and its result keep the same one', () => {
  const long = `toolu_${'a'.repeat(90)}`
  expect(shortenToolCallId('call_1')).toBe('call_1')
  expect(shortenToolCallId(long)).toMatch(/^[a-zA-Z0-9_-]{64}$/)
  expect(shortenToolCallId(long)).toBe(shortenToolCallId(`${long}`))
  expect(shortenToolCallId(`${long}b`)).not.toBe(shortenToolCallId(long))
})
