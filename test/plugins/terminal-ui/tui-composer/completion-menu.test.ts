import type { Completion } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { CompletionMenu } from '../../../../plugins/terminal-ui/tui-composer/completion-menu.ts'
import { layout } from './composer-stage.ts'

function setUp(answer: (text: string) => Promise<readonly Completion[]> | readonly Completion[]) {
  const clock = virtualClock()
  const asked: string[] = []
  const failures: unknown[] = []
  const menu = new CompletionMenu({
    clock,
    layout,
    complete: async (text) => {
      asked.push(text)
      return answer(text)
    },
    changed: () => undefined,
    failed: (error) => failures.push(error),
  })
  const shown = (width = 40, rows = 20) =>
    menu.lines({ width, rows }).map((line) => line.map((span) => span.text).join(''))
  return { clock, asked, failures, menu, shown }
}

test.each([
  ['/', true],
  ['/model gpt', true],
  ['look at @', true],
  ['look at @src/a', true],
  ['@"two words', true],
  ['me@example.com', false],
  ['hello', false],
  ['@done and', false],
  ['a\n/help', false],
])('%j is asked about: %s', async (text, isAsked) => {
  const { clock, asked, menu } = setUp(() => [])
  menu.typed(text)
  await clock.advance(60)
  expect(asked).toEqual(isAsked ? [text] : [])
})

test('fast typing asks once, when it pauses', async () => {
  const { clock, asked, menu } = setUp(() => [])
  for (const text of ['/h', '/he', '/hel']) {
    menu.typed(text)
    await clock.advance(50)
  }
  await clock.advance(60)
  expect(asked).toEqual(['/hel'])
  expect(clock.pending()).toBe(0)
})

test('an answer to what is no longer there is dropped, also when the menu was closed', async () => {
  const waiting = new Map<string, (items: readonly Completion[]) => void>()
  const { clock, menu } = setUp((text) => new Promise((resolve) => waiting.set(text, resolve)))
  menu.typed('/a')
  await clock.advance(60)
  menu.typed('/ab')
  await clock.advance(60)
  waiting.get('/ab')?.([{ text: '/abc', from: 0 }])
  waiting.get('/a')?.([{ text: '/axe', from: 0 }])
  await clock.advance(0)
  expect(menu.chosen('/ab', 'tab')?.text).toBe('/abc')
  menu.typed('/ab')
  menu.close()
  await clock.advance(100)
  expect(menu.isOpen).toBe(false)
})

test('what was answered to another text is never taken', async () => {
  const { menu } = setUp(() => [{ text: '/help', from: 0 }])
  await menu.ask('/h')
  menu.typed('/ho')
  expect([menu.isOpen, menu.chosen('/ho', 'enter'), menu.ghost('/ho')]).toEqual([true, undefined, ''])
})

test('Enter is for the message when nothing was typed of the completion, unless one was pointed at', async () => {
  const items = [
    { text: 'high', from: 11 },
    { text: 'low', from: 11 },
  ]
  const { menu } = setUp(() => items)
  await menu.ask('/reasoning ')
  expect(menu.chosen('/reasoning ', 'enter')).toBeUndefined()
  expect(menu.chosen('/reasoning ', 'tab')?.text).toBe('high')
  menu.move(-1)
  expect(menu.chosen('/reasoning ', 'enter')?.text).toBe('low')
})

test('the only completion shows its rest', async () => {
  const { menu } = setUp((text) => [{ text: '/statusbar', from: 0 }].slice(0, text.length))
  await menu.ask('/sta')
  expect(menu.ghost('/sta')).toBe('tusbar')
})

test('at most twelve rows are shown, with the selected one, and none is wider than the room', async () => {
  const items = Array.from({ length: 40 }, (_, index) => ({
    text: `@file-${index}.ts`,
    from: 0,
    detail: 'a\ntext that is far too long for the room there is',
  }))
  const { menu, shown } = setUp(() => items)
  await menu.ask('@')
  expect(shown()).toHaveLength(12)
  menu.move(-1)
  expect(shown().at(-1)).toMatch(/^ @file-39\.ts {2}a text that is far/)
  for (const width of [1, 5, 20])
    for (const line of menu.lines({ width, rows: 4 })) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
  expect(shown(30, 3)).toHaveLength(3)
  expect(shown(30, 0)).toEqual([])
})

test('a completer that fails is told of, and the next question is asked', async () => {
  let isBroken = true
  const { menu, failures } = setUp(() => {
    if (isBroken) throw new Error('broken')
    return [{ text: '/ok', from: 0 }]
  })
  await menu.ask('/')
  isBroken = false
  await menu.ask('/')
  expect([failures.length, menu.isOpen]).toEqual([1, true])
})
