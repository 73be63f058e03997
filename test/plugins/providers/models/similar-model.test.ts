import { expect, test } from 'vitest'
import { mostSimilar } from '../../../../plugins/providers/models/similar-model.ts'

const served = [
  'gpt-5.2',
  'gpt-5.2-mini',
  'gpt-4.1-mini',
  'claude-opus-4-6',
  'claude-haiku-4-5',
  'llama-3.3-70b-versatile',
]

test.each([
  ['gpt-4-mini', 'gpt-4.1-mini'],
  ['gpt-5.2-2025-12-11', 'gpt-5.2'],
  ['claude-3-opus-20240229', 'claude-opus-4-6'],
  ['llama-3.1-70b-versatile', 'llama-3.3-70b-versatile'],
  ['gtp-5.2', 'gpt-5.2'],
  ['mistral-large', undefined],
  // A version alone is no likeness.
  ['grok-4', undefined],
])('%s is most like %s', (model, expected) => {
  expect(mostSimilar(model, served)).toBe(expected)
})

test('a model is not like itself', () => {
  expect(mostSimilar('gpt-5.2', ['gpt-5.2'])).toBeUndefined()
})
