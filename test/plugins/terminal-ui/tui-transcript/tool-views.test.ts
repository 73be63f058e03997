import fc from 'fast-check'
import { type ToolCallView, Tools } from 'svc/sdk'
import { withFailure } from 'svc/sdk/kit/views'
import type { ToolCallDisplay } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { manifests } from '../../../support/repository.ts'

const contributing = manifests().filter(({ contributes, optIn }) => contributes?.['tools'] && !optIn)
const kernel = await testKernel({ plugins: contributing.map(({ name }) => name) })
const tools = kernel.all(Tools).all()
await kernel.stop()

const getView = (name: string): ToolCallView => {
  const view = tools.find((tool) => tool.name === name)?.view
  if (!view) throw new Error(`${name} has no view`)
  return withFailure(view)
}
const done = (name: string, input: unknown, text = '', data?: unknown): ToolCallDisplay => ({
  name,
  input,
  state: 'done',
  text,
  ...(data === undefined ? {} : { data }),
})
const title = (call: ToolCallDisplay) => getView(call.name).title(call)
const body = (call: ToolCallDisplay) => getView(call.name).body?.(call)
const inline = (call: ToolCallDisplay) => getView(call.name).inline?.(call)

const DIFF = '@@ -1,2 +1,2 @@\n-old\n+new\n same'

test('every built-in tool says how its calls are shown', () => {
  expect(tools.length).toBeGreaterThan(30)
  expect(tools.filter(({ view }) => view === undefined).map(({ name }) => name)).toEqual([])
})

test('a file that was read is named with the lines that were seen, unless they are all of it', () => {
  expect(title(done('read_file', { path: 'src/a.ts' }))).toBe('src/a.ts')
  expect(title(done('read_file', { path: 'src/a.ts', offset: 10, limit: 31 }))).toBe('src/a.ts:10-40')
  const seen = (firstLine: number, lastLine: number, totalLines: number) => ({ firstLine, lastLine, totalLines })
  expect(title(done('read_file', { path: 'a' }, '', seen(1, 500, 900)))).toBe('a:1-500')
  expect(title(done('read_file', { path: 'a', limit: 500 }, '', seen(1, 20, 20)))).toBe('a')
  expect(title(done('read_file', { path: 'a' }, '', seen(1, 0, 0)))).toBe('a')
})

test('the lines of a file are code in its language, and remarks stand below', () => {
  const text = '1\tconst a = 1\n2\t```\n[lines 1-2 of 9; continue with offset 3]'
  expect(body(done('read_file', { path: 'src/a.ts' }, text))).toEqual({
    kind: 'markdown',
    text: '````ts\nconst a = 1\n```\n````\n\n```\n[lines 1-2 of 9; continue with offset 3]\n```',
  })
})

test('folders and searches are named by what was looked for and where', () => {
  expect(title(done('list_files', {}))).toBe('.')
  expect(title(done('list_files', { path: 'src', glob: '**/*.ts' }))).toBe('src **/*.ts')
  expect(title(done('search_files', { pattern: 'a b', path: '.', glob: '*.ts' }))).toBe('/a b/ *.ts')
  expect(title(done('search_files', { pattern: 'x' }))).toBe('/x/')
})

test('a change of a file shows its diff at once', () => {
  const written = done('write_file', { path: 'a.ts', content: 'new' }, 'Replaced', { path: '/w/a.ts', diff: DIFF })
  expect(title(written)).toBe('a.ts +1 -1')
  expect(inline(written)).toEqual({ kind: 'diff', text: DIFF })
  const files = ['/w/a', '/w/b'].map((path) => ({ path, change: 'replaced', added: 1, removed: 1, diff: DIFF }))
  const patched = done('patch', { mode: 'replace', path: 'a' }, '', { files: files.slice(0, 1) })
  expect(title(patched)).toBe('a +1 -1')
  expect(inline(patched)).toEqual({ kind: 'diff', text: DIFF })
  const patch = '*** Begin Patch\n*** Update File: a\n@@\n-x\n*** Add File: b\n+y\n*** End Patch'
  const both = done('patch', { mode: 'patch', patch }, '', { files })
  expect(title(both)).toBe('a +1 +2 -2')
  expect(inline(both)?.text).toBe(`--- /w/a\n+++ /w/a\n${DIFF}\n--- /w/b\n+++ /w/b\n${DIFF}`)
})

test('a long diff is cut until it is unfolded, and one that was cut before counts nothing', () => {
  const diff = ['@@ -0,0 +1,90 @@', ...Array.from({ length: 90 }, (_, at) => `+${at}`)].join('\n')
  const call = done('write_file', { path: 'a' }, '', { diff })
  expect(inline(call)?.text.split('\n')).toHaveLength(41)
  expect(body(call)?.text).toBe(diff)
  expect(title(call)).toBe('a +90 -0')
  expect(title(done('write_file', { path: 'a' }, '', { diff: `${diff}\n... 9 more lines` }))).toBe('a')
})

test('what is about to be changed can be looked at before', () => {
  const wanted = (name: string, input: unknown): ToolCallDisplay => ({ name, input, state: 'wanted' })
  expect(body(wanted('patch', { path: 'a', old_string: 'x\ny', new_string: 'z' }))).toEqual({
    kind: 'diff',
    text: '@@ -1,2 +1,1 @@\n-x\n-y\n+z',
  })
  expect(body(wanted('write_file', { path: 'a.py', content: 'pass' }))?.text).toBe('```py\npass\n```')
  expect(inline(wanted('patch', { path: 'a', old_string: 'x', new_string: 'y' }))).toBeUndefined()
})

test('a command is one line, its body the end of what it wrote, and a failure how it ended', () => {
  const text = `${Array.from({ length: 900 }, (_, at) => `line ${at}`).join('\n')}\n[exit 1: general error]`
  const failed: ToolCallDisplay = {
    name: 'terminal',
    input: { command: 'npm\n  test' },
    state: 'failed',
    text,
    data: { ended: 'exit 1: general error' },
  }
  expect(title(failed)).toBe('npm ⏎ test')
  expect(inline(failed)).toEqual({ kind: 'text', text: 'exit 1: general error' })
  const shown = body(failed)?.text.split('\n') ?? []
  expect(shown).toHaveLength(151)
  expect([shown[0], shown.at(-1)]).toEqual(['…', '[exit 1: general error]'])
  const running: ToolCallDisplay = { name: 'terminal', input: { command: 'make' }, state: 'running', progress: '12 %' }
  expect(body(running)).toEqual({ kind: 'text', text: '12 %' })
})

test('a search of the web is a list of links, and only addresses of the web are links', () => {
  const hits = [
    { title: 'A [b] *c*', url: 'https://a.example/x(y)', snippet: 'one\ntwo' },
    { title: 'evil', url: 'javascript:alert(1)', snippet: '' },
  ]
  const call = done('web_search', { query: 'weather in berlin' }, 'as text', { hits })
  expect(title(call)).toBe('weather in berlin')
  expect(body(call)).toEqual({
    kind: 'markdown',
    text: '1. [A \\[b\\] \\*c\\*](<https://a.example/x(y)>)  \n   one two\n2. evil',
  })
  expect(title(done('web_extract', { urls: ['https://a', 'https://b', 7] }))).toBe('https://a +1')
})

test('a plan counts what is done and names what is under way', () => {
  const todos = [
    { id: '1', content: 'look', status: 'completed' },
    { id: '2', content: 'write', status: 'in_progress' },
    { id: '3', content: 'test', status: 'pending' },
  ]
  const call = done('todo', { todos }, '', { todos, open: 2 })
  expect(title(call)).toBe('1/3 write')
  expect(body(call)?.text).toBe('✓ look\n▸ write\n○ test')
  expect(title({ name: 'todo', input: { todos }, state: 'wanted' })).toBe('3')
  expect(title({ name: 'todo', input: {}, state: 'wanted' })).toBe('')
})

test('other tools are named by what they are about', () => {
  expect(title(done('browser_click', { ref: '@e3' }))).toBe('@e3')
  expect(title(done('process', { action: 'wait', id: 'proc_1' }))).toBe('wait proc_1')
  expect(title(done('execute_code', { code: '\n\nprint(1)\n', language: 'python' }))).toBe('python print(1)')
  expect(
    title(done('vision_analyze', { image_url: `data:image/png;base64,${'A'.repeat(9000)}`, question: 'what?' })),
  ).toBe('data:image/png what?')
  expect(inline(done('image_generate', { prompt: 'a cat' }, '', { path: '/m/cat.png' }))?.text).toBe('/m/cat.png')
  expect(title(done('memory', { action: 'add', target: 'user', content: 'likes tea' }))).toBe('add user likes tea')
  expect(inline(done('clarify', { question: 'Which?' }, 'a', { user_response: 'the first' }))?.text).toBe('the first')
  expect(title(done('send_message', { target: 'telegram:1', message: 'hello' }))).toBe('telegram:1')
})

test('a failure shows its first line at once and all of it unfolded', () => {
  const call: ToolCallDisplay = {
    name: 'read_file',
    input: { path: 'a' },
    state: 'failed',
    text: '\na is missing.\nmore',
  }
  expect(inline(call)).toEqual({ kind: 'text', text: 'a is missing.' })
  expect(body(call)).toEqual({ kind: 'text', text: '\na is missing.\nmore' })
})

const names = tools.map(({ name }) => name)
const keys = [
  'path',
  'command',
  'query',
  'urls',
  'todos',
  'data',
  'hits',
  'files',
  'diff',
  'patch',
  'text',
  'open',
  'url',
]
const junk = fc.oneof(
  fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
  fc.dictionary(fc.constantFrom(...keys, '__proto__', 'length'), fc.anything({ maxDepth: 3 })),
  fc.string({ unit: 'binary' }),
)

test('whatever a call holds, its title is one short line and nothing throws', () => {
  const call = fc.record(
    {
      name: fc.constantFrom(...names),
      input: junk,
      state: fc.constantFrom<ToolCallDisplay['state']>('wanted', 'running', 'done', 'failed'),
      progress: fc.string(),
      text: fc.string({ unit: 'binary' }),
      data: junk,
    },
    { requiredKeys: ['name', 'input', 'state'] },
  )
  fc.assert(
    fc.property(call, (shown) => {
      const said = title(shown)
      expect(said.length).toBeLessThan(2000)
      expect(said).not.toMatch(/[\n\r\t]/)
      for (const part of [body(shown), inline(shown)]) {
        if (part === undefined) continue
        expect(part.text.length).toBeLessThan(200_000)
        expect(['markdown', 'diff', 'text']).toContain(part.kind)
      }
    }),
    { numRuns: 1000 },
  )
})

test('texts of ten megabytes are cut without taking long, and never within a character', () => {
  const huge = '😀'.repeat(2_500_000)
  const lines = 'some words\n'.repeat(900_000)
  for (const name of names)
    for (const text of [huge, lines])
      for (const state of ['wanted', 'done', 'failed'] as const) {
        const input = { path: text, command: text, content: text, query: text, code: text, patch: text, message: text }
        const data = { diff: text, hits: [{ title: text, url: text }], todos: [{ content: text }], output: text }
        const call: ToolCallDisplay = { name, input, state, text, data }
        const parts = [{ text: title(call) }, body(call), inline(call)]
        for (const part of parts) {
          expect((part?.text ?? '').length).toBeLessThan(200_000)
          expect(part?.text ?? '').not.toMatch(/\p{Surrogate}/u)
        }
      }
})
