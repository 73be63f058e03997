import fc from 'fast-check'
import { replayAnswer, toProviderMetadata } from 'svc/sdk/provider'
import { expect, test } from 'vitest'

const author = { provider: 'p', model: 'm' }
const thought = { type: 'thought', sealed: 'x' }
const pieces = [
  thought,
  { type: 'text', length: 4 },
  { type: 'call', id: 'a' },
  { type: 'text', length: 5, mark: 'y' },
  { type: 'call', id: 'b' },
]
const toolCalls = ['a', 'b'].map((id) => ({ id, name: 't', input: {} }))

function createParts(text: string, from: typeof author | undefined = author) {
  const carry = toProviderMetadata(author, pieces)
  const message = { role: 'assistant', text, toolCalls, ...(carry && { carry }) } as const
  return replayAnswer(message, from).map((part) =>
    part.type === 'text' ? part.text : part.type === 'call' ? part.call.id : part.piece,
  )
}

test('an answer goes back as it was given, to its author only', () => {
  expect(createParts('One. Two.')).toEqual([thought, 'One.', 'a', ' Two.', 'b'])
  for (const other of [
    { ...author, model: 'n' },
    { ...author, provider: 'q' },
  ])
    expect(createParts('One. Two.', other)).toEqual(['One. Two.', 'a', 'b'])
  const message = { role: 'assistant', text: 'Hi', carry: { provider: 'p', data: { model: 'm', pieces } } } as const
  expect(replayAnswer(message, undefined)).toEqual([{ type: 'text', text: 'Hi' }])
})

test('a text that was changed stands whole where the first one stood, and without its marks', () => {
  expect(createParts('Cut.')).toEqual([thought, 'Cut.', 'a', '', 'b'])
})

test('texts and calls alone need no carry', () => {
  expect(toProviderMetadata(author, [{ type: 'text', length: 4 }])).toBeUndefined()
  expect(toProviderMetadata(author, [{ type: 'text', length: 4, mark: 'y' }])).toMatchObject({ provider: 'p' })
})

test('whatever someone has edited into a carry, texts and calls come once each', () => {
  const id = fc.constantFrom('a', 'b', 'c')
  const piece = fc.oneof(
    fc.record({ type: fc.constantFrom('text', 'call', 'thought'), length: fc.nat(9), id }),
    fc.anything(),
  )
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(id), fc.oneof(fc.array(piece), fc.anything()), (text, ids, found) => {
      const calls = ids.map((each) => ({ id: each, name: 't', input: {} }))
      const carry = { provider: 'p', data: { model: 'm', pieces: found } }
      const parts = replayAnswer({ role: 'assistant', text, toolCalls: calls, carry }, author)
      expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(text)
      expect(parts.flatMap((part) => (part.type === 'call' ? [part.call.id] : [])).sort()).toEqual([...ids].sort())
    }),
  )
})
