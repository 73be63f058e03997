import { Themes } from 'svc/sdk/terminal'
import { conformance, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import plugin from './index.ts'
import { MOODS, moodView } from './mood-view.ts'

/** A line to type in, as the screen gives one. */
function field() {
  let text = ''
  return {
    get isEmpty() {
      return text === ''
    },
    get text() {
      return text
    },
    get before() {
      return text
    },
    insert: (more: string) => {
      text += more
    },
    key: () => false,
    move: () => false,
    view: () => ({ lines: [[{ text }]], cursor: { row: 0, column: text.length } }),
  }
}

test('it is what a plugin has to be', async () => {
  const report = await conformance({ dir: import.meta.dirname })
  expect(report.cases.filter(({ result }) => result !== 'ok')).toEqual([])
})

test('Enter answers with the selected mood, or with what was typed', () => {
  const chosen: (string | undefined)[] = []
  const list = moodView({ field }, '', (mood) => void chosen.push(mood))
  list.input({ type: 'key', name: 'down' })
  list.input({ type: 'key', name: 'enter' })
  const typed = moodView({ field }, 'so', (mood) => void chosen.push(mood))
  typed.input({ type: 'text', text: ' so' })
  expect(typed.cursor).toEqual({ row: 0, column: 7 })
  typed.input({ type: 'key', name: 'enter' })
  expect(chosen).toEqual([MOODS[1], 'so so'])
})

test('it draws no more than there is room for, and leaves Escape to the screen', () => {
  const view = moodView({ field }, '', () => undefined)
  expect(view.lines({ width: 10, rows: 2 })).toHaveLength(2)
  expect(view.input({ type: 'key', name: 'escape' })).toBe('ignored')
})

test('its theme is among those of the program', async () => {
  const kernel = await testKernel({ with: [{ name: 'screen-plugin', ...plugin }] })
  onTestFinished(() => kernel.stop())
  expect(kernel.all(Themes).get('lantern')).toMatchObject({ description: 'Warm light on a dark page' })
})
