/** What every built-in tool says of itself: a tool that does not say what it reaches is asked about. */
import { Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { manifests, pluginFolder, read, sourcesBelow } from '../support/repository.ts'

const contributing = manifests().flatMap(({ name, contributes }) => (contributes?.['tools'] ? [name] : []))

test('every built-in tool says what it reaches', async () => {
  await using kernel = await testKernel({ plugins: contributing })
  const tools = kernel.all(Tools).all()
  expect(tools.length).toBeGreaterThan(20)
  expect(tools.filter(({ reach }) => reach === undefined).map(({ name }) => name)).toEqual([])
})

test('strangers and machines get only tools that change nothing outside of the conversation, unless the user opts in', async () => {
  await using kernel = await testKernel({ plugins: contributing })
  const tools = kernel.all(Tools).all()
  const named = (flag: 'strangers' | 'events') => tools.filter(({ scope }) => scope?.[flag])
  expect(
    named('strangers')
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...['clarify', 'vision_analyze', 'web_extract', 'web_search']])
  expect([...new Set(named('events').map(({ toolset }) => toolset))].sort()).toEqual(['homeassistant', 'todo', 'web'])
  const harmful = [...named('strangers'), ...named('events')].filter(
    ({ effect, reach, scope }) => effect !== 'pure' && reach !== 'nothing' && !scope?.optIn,
  )
  expect(harmful.map(({ name }) => name)).toEqual([])
})

test('results of tools leave the agent at one place, and gates are asked at one', () => {
  const files = sourcesBelow('plugins')
  const calls = (hook: string) => files.filter((file) => new RegExp(`\\.call\\(${hook}\\b`).test(read(file)))
  const agent = pluginFolder('agent')
  expect(calls('AfterToolCall')).toEqual([`${agent}/tool-call.ts`])
  expect(calls('AroundToolCall')).toEqual([`${agent}/tool-call.ts`])
  expect(calls('BeforeToolCall')).toEqual([`${agent}/tool-gates.ts`])
})
