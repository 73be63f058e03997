/** What every built-in tool says of itself: a tool that does not say what it reaches is asked about. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const plugins = join(import.meta.dirname, '../../plugins')
const contributing = readdirSync(plugins, { withFileTypes: true }).flatMap((entry) => {
  if (!entry.isDirectory()) return []
  const { contributes } = JSON.parse(readFileSync(join(plugins, entry.name, 'plugin.json'), 'utf8'))
  return contributes?.tools ? [entry.name] : []
})

test('every built-in tool says what it reaches', async () => {
  await using kernel = await testKernel({ plugins: contributing })
  const tools = kernel.all(Tools).all()
  expect(tools.length).toBeGreaterThan(20)
  expect(tools.filter(({ reach }) => reach === undefined).map(({ name }) => name)).toEqual([])
})

test('results of tools leave the agent at one place, and gates are asked at one', () => {
  const files = readdirSync(plugins, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const calls = (hook: string) =>
    files.filter((file) => new RegExp(`\\.call\\(${hook}\\b`).test(readFileSync(join(plugins, file), 'utf8')))
  expect(calls('ToolCompleted')).toEqual(['agent/tool-call.ts'])
  expect(calls('ToolRunning')).toEqual(['agent/tool-call.ts'])
  expect(calls('ToolCalling')).toEqual(['agent/gates.ts'])
})
