import { expect, test } from 'vitest'
import { addStackReader, findRunningPlugin, readStack } from '../../program/stacks.ts'

test('a stack is read by those who know its script, until they are taken off', () => {
  const error = Object.assign(new Error('x'), { stack: 'Error: x\n    at run (svc/plugins.cjs:3:1)' })
  const takeOff = addStackReader({
    map: (stack) => stack.replace('svc/plugins.cjs:3', '/home/mine/index.ts:1'),
    findPlugin: (stack) => (stack.includes('stacks.test') ? 'mine' : undefined),
  })
  expect(readStack(error)).toBe('Error: x\n    at run (/home/mine/index.ts:1:1)')
  expect(findRunningPlugin()).toBe('mine')
  takeOff()
  expect(readStack(error)).toBe(error.stack)
  expect(findRunningPlugin()).toBeUndefined()
})

test('an error without a stack has none', () => {
  expect(readStack(Object.assign(new Error('x'), { stack: undefined }))).toBeUndefined()
})
