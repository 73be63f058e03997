import { rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type Tool } from 'svc/sdk'
import { type ToolSample, toolContract } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { failingCases } from './failing-cases.ts'

const input = z.object({ path: z.string() })

/** A tool that reads a file, changed in one way. */
function reader(change: Partial<Tool<{ path: string }>> = {}): Tool {
  return defineTool({
    name: 'read',
    description: 'Reads a file.',
    input,
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    paths: ({ path }, cwd) => [join(cwd, path)],
    run: ({ path }, { cwd, signal }) => readFile(join(cwd, path), { encoding: 'utf8', signal }),
    ...change,
  })
}

const sample: ToolSample = { input: { path: 'a/b.txt' }, files: { 'a/b.txt': 'inside' }, text: 'inside' }
const missing: ToolSample = { input: { path: 'nowhere' }, text: /ENOENT/, failed: true }

const failing = async (tool: Tool, ...samples: readonly ToolSample[]) =>
  Object.keys(await failingCases(toolContract(tool, samples)))

describe('a tool that reads files keeps the contract of tools', () => {
  for (const { name, run } of toolContract(reader(), [sample, missing])) test(name, run)
})

test('cases follow from what the tool declares', () => {
  const names = (tool: Tool) => toolContract(tool, [missing]).map(({ name }) => name)
  expect(names(reader({ effect: 'pure' })).at(-1)).toBe('is pure: {"path":"nowhere"} changes no file')
  expect(names(reader({ effect: 'idempotent' })).at(-1)).toBe('is idempotent: {"path":"nowhere"} twice is once')
  expect(names(reader({ effect: 'once' }))).toHaveLength(5)
  expect(toolContract(reader())).toHaveLength(3)
})

const facts = 'has a name, a description, a toolset and an effect'
const schema = 'tells the model its parameters in a small JSON Schema'
const shows = 'shows any call, whatever the model wrote'
const refuses = 'refuses input that is not what it asks for'
const lax = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const

test.for<[string, Partial<Tool<{ path: string }>>, string]>([
  ['has a name with a blank', { name: 'read file' }, facts],
  ['does not say what it does', { description: '' }, facts],
  ['declares an effect that does not exist', { effect: 'often' as never }, facts],
  [
    'has a view that fails on what a model wrote',
    { view: { title: ({ input }) => (input as { path: string }).path } },
    shows,
  ],
  ['has parameters that fill the prompt', { input: input.describe('x'.repeat(5000)) }, schema],
  ['has no JSON Schema', { input: lax as never }, schema],
  [
    'takes whatever it is given',
    { input: { '~standard': { ...input['~standard'], ...lax['~standard'] } } as never },
    refuses,
  ],
])('a tool that %s is found out', async ([, change, name]) => {
  expect(await failing(reader(change))).toContain(name)
})

test.for<[string, Tool['run']]>([
  ['says something else', async () => 'outside'],
  ['fails', () => Promise.reject(new Error('no luck'))],
  ['throws what is no error', () => Promise.reject('no luck')],
  ['gives a number', async () => 7 as never],
  ['gives data that is not plain', async () => ({ text: 'inside', data: () => {} })],
])('an answer that %s is found out', async ([, run]) => {
  expect(await failing(reader({ run }), sample)).toContain('answers {"path":"a/b.txt"}')
})

test('a tool that changes its input is found out', async () => {
  const run: Tool<{ path: string }>['run'] = async (asked) => {
    asked.path = 'elsewhere'
    return 'inside'
  }
  expect(await failing(reader({ run }), sample)).toContain('answers {"path":"a/b.txt"}')
})

test('a tool that does not stop when the turn is interrupted is found out', { timeout: 30_000 }, async () => {
  const cases = toolContract(reader({ run: () => new Promise(() => {}) }), [sample])
  const stops = cases.filter(({ name }) => name.startsWith('stops'))
  expect(Object.keys(await failingCases(stops))).toEqual(['stops when interrupted in {"path":"a/b.txt"}'])
})

test.for<[string, (folder: string) => void]>([
  ['writes', (folder) => writeFileSync(join(folder, 'new.txt'), '')],
  ['deletes', (folder) => rmSync(join(folder, 'a/b.txt'))],
])('a tool that calls itself pure and %s is found out', async ([, harm]) => {
  const run: Tool['run'] = async (_input, { cwd }) => {
    harm(cwd)
    return 'inside'
  }
  expect(await failing(reader({ run }), sample)).toContain('is pure: {"path":"a/b.txt"} changes no file')
})

test('a tool that calls itself idempotent and adds up is found out', async () => {
  const run: Tool['run'] = async (_input, { cwd }) => {
    writeFileSync(join(cwd, 'log.txt'), 'again', { flag: 'a' })
    return 'inside'
  }
  const tool = reader({ effect: 'idempotent', run })
  expect(await failing(tool, sample)).toEqual(['is idempotent: {"path":"a/b.txt"} twice is once'])
})
