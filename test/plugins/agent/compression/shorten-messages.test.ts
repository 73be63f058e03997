import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { clipResults, prune } from '../../../../plugins/agent/compression/shorten-messages.ts'
import { totalTokens } from '../../../../plugins/agent/compression/tokens.ts'

/** The tool of these stories that keeps the plan. */
const PLAN: ReadonlySet<string> = new Set(['todo'])

const image = { mediaType: 'image/png', data: 'AAAA' }
const long = 'a line of output\n'.repeat(50)
const step = (id: string, name: string, input: unknown, text: string): Message[] => [
  { role: 'assistant', text: '', toolCalls: [{ id, name, input }], carry: { provider: 'p', data: 'signed' } },
  { role: 'tool', callId: id, text },
]
const work: readonly Message[] = [
  { role: 'user', text: 'Look at this.', images: [image] },
  ...step('1', 'terminal', { command: 'npm test' }, long),
  ...step('2', 'todo', {}, `1 of 1 open\n[ ] a: ${'old '.repeat(80)}`),
  ...step('3', 'write_file', { path: 'a.ts', content: 'x'.repeat(2000) }, 'Written.'),
  ...step('4', 'todo', {}, `1 of 1 open\n[ ] a: ${'new '.repeat(80)}`),
  ...step('5', 'read_file', { path: 'a.ts' }, `first ${long}`),
  { role: 'user', text: 'And at this.', images: [image] },
  ...step('6', 'terminal', { command: 'npm test' }, long),
]
const shorter = prune(work, { from: 0, to: work.length - 2 }, PLAN)
const findResult = (id: string) => shorter.find((message) => message.role === 'tool' && message.callId === id)?.text

test('a long result becomes one line that says what it was; one that came again names that', () => {
  expect(findResult('5')).toMatch(
    /^\[read_file a\.ts: result of 51 lines, 856 characters, left out; it began: first a line/,
  )
  expect(findResult('1')).toBe('[terminal npm test: the same result came again later]')
  expect(findResult('3')).toBe('Written.')
  expect(findResult('6')).toBe(long)
})

test('of the plan the newest stays', () => {
  expect(findResult('2')).toMatch(/left out/)
  expect(findResult('4')).toMatch(/^1 of 1 open\n\[ \] a: new/)
})

test('long inputs are cut inside, and what the provider signed goes with them; others stay as they are', () => {
  const writer = shorter[5]
  expect(writer).toMatchObject({
    toolCalls: [{ id: '3', input: { path: 'a.ts', content: `${'x'.repeat(160)}… [1840 characters left out]` } }],
  })
  expect(writer).not.toHaveProperty('carry')
  expect(shorter[1]).toBe(work[1])
})

test('old pictures become words; the newest of the user stays', () => {
  expect(shorter[0]).toEqual({ role: 'user', text: 'Look at this.\n[a picture that was left out to save room]' })
  expect(shorter.filter((message) => 'images' in message)).toEqual([work.at(-3)])
})

test('results are cut in their middle only as far as it takes, and not at all when none is long', () => {
  const huge: readonly Message[] = [...step('1', 'look', {}, 'x'.repeat(100_000)), ...step('2', 'look', {}, 'short')]
  const clipped = clipResults(huge, 5000)
  expect(totalTokens(clipped ?? [])).toBeLessThan(5000)
  expect(clipped?.[1]?.text.length).toBeGreaterThan(15_000)
  expect(clipped?.slice(2)).toEqual(huge.slice(2))
  expect(clipResults(huge, 1)?.[1]?.text.length).toBeLessThan(1100)
  expect(clipResults(work, 1)).toBeUndefined()
})
