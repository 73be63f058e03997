/** What is a circle, and what only looks like one. */
import type { ToolCall, ToolResult } from 'svc/sdk'
import { expect, test } from 'vitest'
import { LoopGuard } from '../../../../plugins/agent/agent/loop-guard.ts'

const look = (path: string | number): ToolCall => ({ id: `call_${path}`, name: 'look', input: { path } })
const seen: ToolResult = { text: 'empty' }
const failed: ToolResult = { text: 'no such file', failed: true }
const times = Array.from({ length: 10 }, (_, at) => at)

test('looks at different things that all are the same are no circle', () => {
  const guard = new LoopGuard()
  for (const at of times) expect(guard.note(look(at), seen, 'pure').text).toBe('empty')
  expect(guard.verdict).toBeUndefined()
})

test('asking again for what is still under way is no circle where the asking may change something', () => {
  const guard = new LoopGuard()
  for (const _ of times) expect(guard.note(look('build'), seen, 'other').text).toBe('empty')
  expect(guard.verdict).toBeUndefined()
})

test('a tool that fails now and then, and works in between, ends no turn', () => {
  const guard = new LoopGuard()
  for (const at of times) {
    guard.note(look(`missing ${at}`), failed, 'pure')
    guard.note(look(at), { text: `${at}` }, 'pure')
  }
  expect(guard.verdict).toBeUndefined()
})

test('a tool that fails whatever it is given ends the turn, after the model was told', () => {
  const guard = new LoopGuard()
  const texts = times.slice(0, 8).map((at) => guard.note(look(at), failed, 'pure').text)
  expect(texts.slice(0, 2)).toEqual(['no such file', 'no such file'])
  expect(texts[2]).toContain('This tool keeps failing')
  expect(guard.verdict).toMatch(/in circles/)
})

test('the same look with the same result ends the turn, one with another result does not', () => {
  const [same, other] = [new LoopGuard(), new LoopGuard()]
  for (const at of times.slice(0, 6)) {
    same.note(look('a'), seen, 'pure')
    other.note(look('a'), { text: `${at}` }, 'pure')
  }
  expect(same.verdict).toMatch(/look/)
  expect(other.verdict).toBeUndefined()
})
