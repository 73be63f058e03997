import { Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { findMatch } from '../../../../plugins/safety/command-hooks/matcher.ts'
import { inputFor, inputFrom, listNames } from '../../../../plugins/safety/command-hooks/tool-names.ts'
import { manifests } from '../../../support/repository.ts'

const edit = {
  name: 'change',
  cwd: '/srv/app',
  input: { path: 'a.ts', old: 'x' },
  acts: { writes: ['/srv/app/a.ts'] },
  tool: { effect: 'once', knownAs: [{ name: 'Edit', fields: { file_path: 'path', old_string: 'old' } }] },
} as const

test('a call has the names that people know and its own; without them it is known by what it would do', () => {
  expect(listNames(edit)).toEqual(['Edit', 'change'])
  const bare = { ...edit, tool: { effect: 'pure' } } as const
  expect(listNames(bare)).toEqual(['Write', 'Edit', 'change'])
  expect(listNames({ ...bare, acts: { reads: ['a'] } })).toEqual(['Read', 'change'])
  expect(listNames({ ...bare, acts: { command: 'ls', writes: ['a'] } })).toEqual(['Bash', 'change'])
  expect(listNames({ ...bare, acts: {} })).toEqual(['change'])
})

test('the input has the fields of both names, and paths are absolute', () => {
  expect(inputFor(edit, 'Edit')).toEqual({ path: 'a.ts', old: 'x', file_path: '/srv/app/a.ts', old_string: 'x' })
  expect(inputFor(edit, 'change')).toEqual({ path: 'a.ts', old: 'x', file_path: '/srv/app/a.ts' })
})

test('what a hook changes in either field is the input; what stands for nothing is refused', () => {
  const told = inputFor(edit, 'Edit')
  expect(inputFrom(edit, 'Edit', told)).toEqual(edit.input)
  expect(inputFrom(edit, 'Edit', { ...told, file_path: '/b.ts' })).toEqual({ path: '/b.ts', old: 'x' })
  expect(inputFrom(edit, 'Edit', { ...told, path: 'c.ts' })).toEqual({ path: 'c.ts', old: 'x' })
  expect(inputFrom(edit, 'Edit', { file_path: '/srv/app/a.ts', old_string: 'y' })).toEqual({ path: 'a.ts', old: 'y' })
  expect(inputFrom(edit, 'change', { ...edit.input, file_path: '/b.ts' })).toBeUndefined()
})

test('matchers are names, lists or regular expressions; one that is not valid selects everything', () => {
  const names = ['Edit', 'change']
  expect(
    ['', '*', 'Edit', 'change', 'Write|Edit', 'Write, change', 'Ed.*', '^cha'].map((each) => findMatch(each, names)),
  ).toEqual([...['Edit', 'Edit', 'Edit', 'change', 'Edit', 'change', 'Edit', 'change']])
  expect(['edit', 'Edi', 'Write', '^hange'].map((each) => findMatch(each, names))).toEqual(Array(4).fill(undefined))
  expect(findMatch('([', names)).toBe('Edit')
})

test('every field that a built-in tool names for another agent is one of its own', async () => {
  const contributing = manifests().filter(({ contributes }) => contributes?.['tools'])
  await using kernel = await testKernel({ plugins: contributing.map(({ name }) => name) })
  const known = kernel
    .all(Tools)
    .all()
    .flatMap((tool) => (tool.knownAs ?? []).map((alias) => ({ tool, alias })))
  expect(known.map(({ alias }) => alias.name)).toEqual(
    expect.arrayContaining(['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob']),
  )
  expect(new Set(known.map(({ alias }) => alias.name)).size).toBe(known.length)
  for (const { tool, alias } of known) {
    const schema = tool.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    const own = Object.keys((schema?.['properties'] ?? {}) as object)
    expect(own).toEqual(expect.arrayContaining(Object.values(alias.fields ?? {})))
  }
})
