import { expect, test } from 'vitest'
import { findNearest } from '../../../sdk/kit/text/nearest.ts'

const commands = ['chat', 'config', 'plugins', 'sessions']

test.for([
  ['caht', 'chat'],
  ['confg', 'config'],
  ['plugin', 'plugins'],
  ['sesions', 'sessions'],
  ['sess', 'sessions'],
  ['pl', 'plugins'],
] as const)('"%s" most likely meant %s', ([typed, meant]) => {
  expect(findNearest(typed, commands)).toBe(meant)
})

test.for(['x', 'kanban', '', 'completely'])('"%s" is like nothing there is', (typed) => {
  expect(findNearest(typed, commands)).toBeUndefined()
})

test('where there are no names there is no nearest', () => {
  expect(findNearest('chat', [])).toBeUndefined()
})
