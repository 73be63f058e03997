import { expect, test } from 'vitest'
import { manifestProblem, SDK_VERSION } from '../../loader/manifest.ts'
import { manifests, packageJson } from '../support/repository.ts'

const good = { name: 'my-plugin', version: '1.2.3', sdk: '^0.1.0', kind: 'tool', description: 'Does something.' }

test('the least that a plugin.json must say is enough, and so is all it may say', () => {
  const more = {
    $schema: 'https://example.com/plugin.json',
    provides: ['a'],
    requires: [],
    optional: ['b'],
    with: ['c'],
    config: 'my.block',
    env: [{ name: 'A_KEY', description: 'a key', secret: true }],
    contributes: { tools: ['hammer'] },
    cli: [{ name: 'hit', description: 'hits', default: true }],
    optIn: true,
    grants: { hosts: ['example.com'] },
  }
  expect(manifestProblem(good)).toBeUndefined()
  expect(manifestProblem({ ...good, ...more })).toBeUndefined()
})

test.for(Object.keys(good))('a plugin.json without %s is told so', (field) => {
  expect(manifestProblem({ ...good, [field]: undefined })).toBe(`plugin.json lacks "${field}"`)
})

test.for([
  ['name', 'My Plugin'],
  ['name', '../evil'],
  ['name', ''],
  ['name', 'a'.repeat(65)],
  ['version', 'one'],
  ['version', 1],
  ['sdk', {}],
  ['kind', ''],
  ['description', ['x']],
  ['provides', 'box'],
  ['requires', [1]],
  ['optional', {}],
  ['with', ['']],
  ['config', ['model']],
  ['env', ['A_KEY']],
  ['env', [{ description: 'nameless' }]],
  ['contributes', ['tools']],
  ['contributes', { tools: 'hammer' }],
  ['cli', { name: 'hit' }],
  ['cli', [{ description: 'nameless' }]],
  ['optIn', 'yes'],
  ['grants', []],
] as const)('"%s" cannot be %j', ([field, value]) => {
  expect(manifestProblem({ ...good, [field]: value })).toMatch(new RegExp(`^plugin.json: "${field}" must be `))
})

test.for([undefined, null, 1, 'text', []])('%j is no plugin.json', (value) => {
  expect(manifestProblem(value)).toBe('plugin.json must be an object')
})

test('an unknown field is an error, because it is most likely a typo', () => {
  expect(manifestProblem({ ...good, require: ['x'] })).toBe('plugin.json has an unknown field "require"')
})

test('the version of the sdk is the one that the built-in plugins name', () => {
  expect(new Set(manifests().map(({ sdk }) => sdk))).toEqual(new Set([`^${SDK_VERSION}`]))
  expect((packageJson as { version?: string }).version).toBe(SDK_VERSION)
})
