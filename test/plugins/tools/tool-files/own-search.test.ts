import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { Clock, Home, Random, Secrets, type ToolResult } from 'svc/sdk'
import { fakeToolTurn } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { PathLocks } from '../../../../plugins/tools/tool-files/commit.ts'
import { ReadHistory } from '../../../../plugins/tools/tool-files/read-history.ts'
import { findRipgrep } from '../../../../plugins/tools/tool-files/ripgrep.ts'
import { searchFiles } from '../../../../plugins/tools/tool-files/search-files.ts'
import type { SearchData } from '../../../../plugins/tools/tool-files/search-shown.ts'
import { SecretFiles } from '../../../../plugins/tools/tool-files/secret-files.ts'
import type { FileDeps, SearchInput } from '../../../../plugins/tools/tool-files/tools.ts'
import { type FileTools, fileTools, type Workspace, workspace } from './support.ts'

type Found = ToolResult & { readonly data: SearchData }
type Engine = 'ripgrep' | 'own'

/** Searches with one of the two engines, in its own session. */
function search(files: FileTools, folder: Workspace, engine: Engine, input: Partial<SearchInput>): Promise<Found> {
  const { kernel } = files
  const host: FileDeps = {
    home: () => kernel.use(Home),
    clock: () => kernel.use(Clock),
    random: () => kernel.use(Random),
    mask: (text) => kernel.use(Secrets).mask(text),
    safeRoot: () => undefined,
    ripgrep: engine === 'own' ? async () => undefined : findRipgrep,
    readable: () => [],
    secrets: new SecretFiles(() => files.kernel.use(Clock)),
    ledger: new ReadHistory(),
    locks: new PathLocks(),
    environment: async () => undefined,
    isIsolated: () => false,
  }
  const whole = { pattern: '', path: '.', mode: 'content', context: 0, limit: 50, offset: 0, glob: undefined } as const
  const turn = fakeToolTurn({ cwd: folder.path })
  return searchFiles({ ...whole, ...input }, turn, host) as Promise<Found>
}

test('ripgrep is there on this machine, so that the tests of the tool are about it', async () => {
  expect(await findRipgrep()).toMatch(/rg(\.exe)?$/)
})

describe.for(['ripgrep', 'own'] as const)('searching with %s', (engine) => {
  test('shows the lines around matches, with gaps, and matches as such', async () => {
    using folder = workspace({ 'a.txt': '1\n  2 hit\n3\n4\n5\n6 hit\n7\n', 'b.txt': 'hit\n' })
    await using files = await fileTools()
    const { text, data } = await search(files, folder, engine, { pattern: 'hit', context: 1 })
    const lines = ['a.txt-1- 1', 'a.txt:2:   2 hit', 'a.txt-3- 3', '--', 'a.txt-5- 5', 'a.txt:6: 6 hit', 'a.txt-7- 7']
    expect(text).toBe(['3 matches in 2 files (2 searched):', ...lines, '--', 'b.txt:1: hit'].join('\n'))
    expect(data.matches.filter(({ context }) => !context).map(({ line }) => line)).toEqual([2, 6, 1])
  })

  test('names the files only, counts their matches, and finds names', async () => {
    using folder = workspace({ 'a.ts': 'hit\nhit\n', 'src/hit.ts': 'x\n', 'src/b.ts': 'hit\n' })
    await using files = await fileTools()
    const text = async (input: Partial<SearchInput>) => (await search(files, folder, engine, input)).text
    expect(await text({ pattern: 'hit', mode: 'files' })).toBe('2 files (3 searched):\na.ts\nsrc/b.ts')
    expect(await text({ pattern: 'hit', mode: 'count' })).toBe('2 files (3 searched):\na.ts: 2\nsrc/b.ts: 1')
    expect(await text({ pattern: 'hit', mode: 'names' })).toBe('1 name of 3 files:\nsrc/hit.ts')
    expect(await text({ pattern: '^src/', mode: 'names', glob: 'b.*' })).toBe('1 name of 1 file:\nsrc/b.ts')
  })

  test('continues where it is told to, and says when there is more', async () => {
    using folder = workspace({ 'a.txt': 'hit 1\nhit 2\nhit 3\n', 'b.txt': 'hit 4\nhit 5\n' })
    await using files = await fileTools()
    const page = (offset: number) => search(files, folder, engine, { pattern: 'hit', limit: 2, offset })
    expect((await page(0)).text).toContain('[there is more: continue with offset 2, or narrow the search]')
    const seen = [await page(0), await page(2), await page(4)].flatMap(({ data }) =>
      data.matches.map(({ text }) => text),
    )
    expect(seen).toEqual(['hit 1', 'hit 2', 'hit 3', 'hit 4', 'hit 5'])
    expect((await page(4)).data.cut).toBe(false)
    expect((await page(9)).data).toMatchObject({ matches: [], cut: false })
  })

  test('passes over secrets, private keys by any name, and binary files', async () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\nneedle: x\n${'QUJD'.repeat(16)}\n`
    using folder = workspace({ '.env': 'needle\n', 'odd.txt': key, bin: Buffer.from('needle\0'), 'ok.txt': 'needle\n' })
    await using files = await fileTools()
    for (const mode of ['content', 'count'] as const) {
      const { text } = await search(files, folder, engine, { pattern: 'needle', mode })
      expect(text).toContain('ok.txt')
      expect(text).not.toMatch(/\.env|odd|bin/)
    }
  })

  test('takes a pattern that does not parse literally, and cannot be held up by one that takes years', async () => {
    using folder = workspace({ 'a.txt': `call(foo\n${'a'.repeat(50)}b\n` })
    await using files = await fileTools()
    const literal = await search(files, folder, engine, { pattern: 'call(' })
    expect(literal.text).toContain('a.txt:1: call(foo')
    expect(literal.text).toContain('taken literally')
    const slow = await search(files, folder, engine, { pattern: '(a+)+$' }).catch((error: unknown) => error)
    if (engine === 'own') expect(slow).toMatchObject({ code: 'SEARCH_TOO_SLOW' })
    else expect(slow).toMatchObject({ data: { matches: [] } })
  })
})

test('both engines find the same', async () => {
  using folder = workspace()
  await using files = await fileTools()
  const line = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', ' ', '.'), maxLength: 6 })
  const text = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'))
    .map(([lines, end]) => lines.join(end))
  const scenario = fc.record({
    files: fc.dictionary(fc.constantFrom('a.ts', 'b.js', 'c/d.ts', '.h/e.js'), text, { minKeys: 1 }),
    pattern: fc.constantFrom('a', 'a.?b', '^b', 'ü$', '(?i)A ', '[ab]{2}', '(?=a)a', 'a('),
    mode: fc.constantFrom('content', 'files', 'count') as fc.Arbitrary<SearchInput['mode']>,
    glob: fc.option(fc.constantFrom('*.ts', 'c/*.ts', '**/*.js'), { nil: undefined }),
    context: fc.integer({ min: 0, max: 2 }),
    limit: fc.integer({ min: 1, max: 4 }),
    offset: fc.integer({ min: 0, max: 3 }),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ files: contents, ...input }) => {
      const path = `run${++run}`
      for (const [name, content] of Object.entries(contents)) folder.put(`${path}/${name}`, content)
      const both = await Promise.all(
        (['ripgrep', 'own'] as const).map(async (engine) => {
          const { matches, files: named, cut } = (await search(files, folder, engine, { ...input, path })).data
          return { matches, named, cut }
        }),
      )
      expect(both[1]).toEqual(both[0])
    }),
    { numRuns: 30 },
  )
})

test('a file that could not be searched is named, and the others are searched', async () => {
  using folder = workspace({ 'a.txt': `${'a'.repeat(60)}b\n`, 'b.txt': 'aa\n' })
  await using files = await fileTools()
  const { text, data } = await search(files, folder, 'ripgrep', { pattern: '(?=a)(a+)+$' })
  expect(data.matches.map(({ path }) => path)).toEqual(['b.txt'])
  expect(text).toContain('[not searched: a.txt: PCRE2: error matching: match limit exceeded]')
  const glob = search(files, folder, 'ripgrep', { pattern: 'a', glob: '[' })
  await expect(glob).rejects.toMatchObject({ code: 'SEARCH_FAILED', message: expect.stringContaining('glob') })
})

test('a pipe is not searched, and nothing waits for it', async () => {
  using folder = workspace({ 'a.txt': 'hit\n' })
  execFileSync('mkfifo', [folder.at('pipe')])
  await using files = await fileTools()
  const searching = search(files, folder, 'ripgrep', { pattern: 'hit', path: 'pipe' })
  await expect(searching).rejects.toMatchObject({ code: 'FILE_NOT_REGULAR' })
  expect((await search(files, folder, 'ripgrep', { pattern: 'hit' })).data.matches).toHaveLength(1)
})

test('what .gitignore names is left out in a repository, and that is said when nothing is found', async () => {
  using folder = workspace({ '.gitignore': 'dist/\n', 'dist/a.js': 'needle\n', 'src/a.ts': 'x\n', '.git/HEAD': 'x' })
  await using files = await fileTools()
  const { text } = await search(files, folder, 'ripgrep', { pattern: 'needle' })
  expect(text).toBe('0 matches in 0 files (2 searched)\n[files that .gitignore names are left out]')
  expect((await search(files, folder, 'ripgrep', { pattern: 'needle', path: 'dist' })).data.matches).toHaveLength(1)
  expect((await search(files, folder, 'own', { pattern: 'needle' })).data.matches).toHaveLength(1)
})
