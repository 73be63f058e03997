import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformance } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../examples')
const examples = readdirSync(root).filter((name) => existsSync(join(root, name, 'package.json')))
const plugins = examples.filter((name) => existsSync(join(root, name, 'plugin.json')))
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')

test('there are nine examples, and eight of them are plugins', () => {
  expect(examples).toEqual([
    'embed',
    'hello-plugin',
    'hooks-plugin',
    'page-plugin',
    'platform-plugin',
    'provider-plugin',
    'screen-plugin',
    'service-plugin',
    'webhook-plugin',
  ])
  expect(plugins).toHaveLength(8)
})

test.for(plugins)('the example %s passes the conformance kit', async (name) => {
  const report = await conformance({ dir: join(root, name) })
  expect(report.cases.filter(({ result }) => result === 'failed')).toEqual([])
  expect(report.plugin).toBe(name)
})

test.for(plugins)('the example %s can be published: its package says that it is a plugin, and needs svc', (name) => {
  const { type, keywords, peerDependencies } = JSON.parse(read(name, 'package.json'))
  expect({ type, keywords }).toEqual({ type: 'module', keywords: ['svc-plugin'] })
  expect(peerDependencies.svc).toBe(JSON.parse(read(name, 'plugin.json')).sdk)
})

test.for(examples)('the example %s says what it shows and how to try it, and has its own test', (name) => {
  expect(read(name, 'README.md')).toContain('\n## Try it\n')
  expect(existsSync(join(root, name, 'index.test.ts'))).toBe(true)
})

test('the smallest example and the platform are as short as they are said to be', () => {
  expect(read('hello-plugin', 'index.ts').split('\n').length).toBeLessThanOrEqual(40)
  expect(read('platform-plugin', 'platform.ts').split('\n').length).toBeLessThanOrEqual(75)
})
