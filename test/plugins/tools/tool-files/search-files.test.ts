import { symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SearchData } from '../../../../plugins/tools/tool-files/search-shown.ts'
import { fileTools, workspace } from './support.ts'

test('matching lines are found with their places, in order', async () => {
  using folder = workspace({ 'b.ts': 'x\n  const a = 1\r\n', 'a/deep.ts': 'const b\n', 'c.md': 'const c\n' })
  await using files = await fileTools()
  const { text, data } = await files.call<SearchData>('search_files', { pattern: '^\\s*const \\w' }, folder.path)
  expect(text).toBe('3 matches in 3 files (3 searched):\na/deep.ts:1: const b\nb.ts:2: const a = 1\nc.md:1: const c')
  expect(data).toMatchObject({ searched: 3, cut: false })
})

test('path and glob narrow the search, and paths come back as they can be read', async () => {
  using folder = workspace({ 'src/a.ts': 'hit\n', 'src/b.js': 'hit\n', 'other/a.ts': 'hit\n' })
  await using files = await fileTools()
  const paths = async (input: object) => {
    const { data } = await files.call<SearchData>('search_files', { pattern: 'hit', ...input }, folder.path)
    return data.matches.map(({ path }) => path)
  }
  expect(await paths({ path: 'src' })).toEqual(['src/a.ts', 'src/b.js'])
  expect(await paths({ glob: '*.ts' })).toEqual(['other/a.ts', 'src/a.ts'])
  expect(await paths({ path: './src/b.js' })).toEqual(['src/b.js'])
  expect(await paths({ path: folder.at('other') })).toEqual([folder.at('other/a.ts')])
})

test('any text is found when it is searched as it is, whatever signs it holds', async () => {
  using folder = workspace()
  await using files = await fileTools()
  const unit = fc.constantFrom(...'ab.*+?()[]{}|^$\\ "')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, minLength: 1, maxLength: 8 }), async (wanted) => {
      folder.put('f.txt', `before\nxx${wanted}yy\nafter\n`)
      const pattern = wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      const { data } = await files.call<SearchData>('search_files', { pattern }, folder.path)
      expect(data.matches.map(({ line }) => line)).toContain(2)
    }),
    { numRuns: 60 },
  )
})

test('a pattern that does not parse is taken literally, and that is said', async () => {
  using folder = workspace({ 'a.ts': 'call(foo\n' })
  await using files = await fileTools()
  const { text } = await files.call('search_files', { pattern: 'call(' }, folder.path)
  expect(text).toContain('a.ts:1: call(foo')
  expect(text).toContain('taken literally')
})

test('case counts, unless (?i) says that it does not', async () => {
  using folder = workspace({ 'a.txt': 'Hello\n' })
  await using files = await fileTools()
  const count = async (pattern: string) =>
    (await files.call<SearchData>('search_files', { pattern }, folder.path)).data.matches.length
  expect(await count('hello')).toBe(0)
  expect(await count('(?i)hello')).toBe(1)
})

test('binary files, links, other people’s folders and secrets are passed over', async () => {
  using folder = workspace({
    'bin.dat': Buffer.from('needle\0'),
    'node_modules/x.js': 'needle\n',
    '.git/x': 'needle\n',
    id_ed25519: 'needle\n',
    'text.txt': 'needle\n',
  })
  symlinkSync('text.txt', folder.at('link.txt'))
  await using files = await fileTools()
  const { data } = await files.call<SearchData>('search_files', { pattern: 'needle' }, folder.path)
  expect(data).toEqual({ matches: [{ path: 'text.txt', line: 1, text: 'needle' }], searched: 3, cut: false })
  const secret = files.call('search_files', { pattern: 'needle', path: 'id_ed25519' }, folder.path)
  await expect(secret).rejects.toMatchObject({ code: 'FILE_PROTECTED' })
})

test('known secrets are masked in what is found', async () => {
  using folder = workspace({ 'a.txt': 'token canary-secret\n' })
  await using files = await fileTools('canary-secret')
  const { text, data } = await files.call<SearchData>('search_files', { pattern: 'token' }, folder.path)
  expect(text).toContain('a.txt:1: token ***')
  expect(JSON.stringify(data)).not.toContain('canary')
})

test('no more is found than was asked for, and that there is more is said', async () => {
  using folder = workspace({ 'a.txt': 'hit\n'.repeat(60), 'b.txt': 'hit\n' })
  await using files = await fileTools()
  const found = await files.call<SearchData>('search_files', { pattern: 'hit' }, folder.path)
  expect(found.data).toMatchObject({ cut: true })
  expect(found.data.matches).toHaveLength(50)
  expect(found.text).toMatch(/^the first 50 matches in 1 file/)
  const all = await files.call<SearchData>('search_files', { pattern: 'hit', limit: 61 }, folder.path)
  expect(all.data).toMatchObject({ cut: false })
})

test('line numbers hold in files that are read in many pieces, and long lines are shown around the match', async () => {
  const filler = `${'é'.repeat(100)}\n`.repeat(3000)
  using folder = workspace({ 'big.txt': `${filler}${'x'.repeat(5000)}NEEDLE${'y'.repeat(5000)}\nlast NEEDLE` })
  await using files = await fileTools()
  const { data } = await files.call<SearchData>('search_files', { pattern: 'NEEDLE' }, folder.path)
  expect(data.matches.map(({ line }) => line)).toEqual([3001, 3002])
  expect(data.matches[0]?.text).toMatch(/^\.\.\.x+NEEDLEy+\.\.\.$/)
  expect(data.matches[0]?.text.length).toBeLessThan(220)
})

test('other work continues while much is searched, and an interrupted turn ends the search', async () => {
  using folder = workspace(
    Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`d${at % 10}/f${at}.txt`, 'some line of text\n'.repeat(2000)]),
    ),
  )
  await using files = await fileTools()
  const stop = new AbortController()
  let ticks = 0
  const ticker = setInterval(() => {
    if (++ticks === 5) stop.abort(new Error('stopped'))
  }, 1)
  try {
    const search = files.call('search_files', { pattern: 'absent$' }, folder.path, stop.signal)
    await expect(search).rejects.toThrow('stopped')
    expect(ticks).toBeGreaterThanOrEqual(5)
  } finally {
    clearInterval(ticker)
  }
})
