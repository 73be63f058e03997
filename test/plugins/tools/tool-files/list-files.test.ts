import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ListData } from '../../../../plugins/tools/tool-files/list-files.ts'
import { fileTools, workspace } from './support.ts'

test('a folder is listed in order, with what is not a file marked', async () => {
  using folder = workspace({ 'b.txt': '', 'a/deep.txt': '', '.hidden': '', 'C.txt': '' })
  symlinkSync('b.txt', folder.at('link'))
  execFileSync('mkfifo', [folder.at('pipe')])
  await using files = await fileTools()
  const { text, data } = await files.call<ListData>('list_files', {}, folder.path)
  expect(text).toBe('6 entries in .:\n.hidden\nC.txt\na/\nb.txt\nlink -> b.txt\npipe (device, pipe or socket)')
  expect(data).toMatchObject({ path: folder.path, count: 6 })
  expect(data.entries).toContain('a/')
})

test('depth goes into folders, but not into those that others fill', async () => {
  using folder = workspace({ 'src/a/b.ts': '', 'src/z.ts': '', 'node_modules/x/y.js': '', '.git/HEAD': '' })
  await using files = await fileTools()
  const { data } = await files.call<ListData>('list_files', { depth: 9 }, folder.path)
  expect(data.entries).toEqual(['.git/', 'node_modules/', 'src/', 'src/a/', 'src/a/b.ts', 'src/z.ts'])
  const inside = await files.call<ListData>('list_files', { path: 'node_modules', depth: 2 }, folder.path)
  expect(inside.data.entries).toEqual(['x/', 'x/y.js'])
})

test('a glob finds names at any depth, or paths', async () => {
  using folder = workspace({ 'a.ts': '', 'src/b.ts': '', 'src/deep/c.ts': '', 'src/d.js': '', 'node_modules/e.ts': '' })
  await using files = await fileTools()
  const entries = async (input: object) => (await files.call<ListData>('list_files', input, folder.path)).data.entries
  expect(await entries({ glob: '*.ts' })).toEqual(['a.ts', 'src/b.ts', 'src/deep/c.ts'])
  expect(await entries({ glob: 'src/*.ts' })).toEqual(['src/b.ts'])
  expect(await entries({ glob: '*.ts', depth: 1 })).toEqual(['a.ts'])
  expect(await entries({ path: 'src', glob: '*.{ts,js}', depth: 1 })).toEqual(['b.ts', 'd.js'])
  expect(await entries({ glob: 'de*' })).toEqual(['src/deep/'])
  expect(await entries({ glob: '*.py' })).toEqual([])
})

test('names with line breaks or control characters cannot pass for something else', async () => {
  using folder = workspace({ 'two\nlines': '', 'bell\u0007': '', 'plain name.txt': '' })
  await using files = await fileTools()
  const { text } = await files.call('list_files', {}, folder.path)
  expect(text.split('\n')).toEqual(['3 entries in .:', '"bell\\u0007"', 'plain name.txt', '"two\\nlines"'])
})

test('a long list is cut, and the count is still true', async () => {
  using folder = workspace(Object.fromEntries(Array.from({ length: 620 }, (_, at) => [`f${1000 + at}`, ''])))
  await using files = await fileTools()
  const { text, data } = await files.call<ListData>('list_files', {}, folder.path)
  expect(data).toMatchObject({ count: 620 })
  expect(data.entries).toHaveLength(500)
  expect(text).toMatch(
    /^620 entries in \.:\nf1000\n[\s\S]*\nf1499\n\[cut after 500; name a folder in it, or give a glob\]$/,
  )
})

test('what is no folder is said to be none', async () => {
  using folder = workspace({ 'a.txt': '', 'source/x': '' })
  await using files = await fileTools()
  const listing = (path: string) => files.call('list_files', { path }, folder.path)
  await expect(listing('a.txt')).rejects.toMatchObject({ code: 'FILE_NOT_A_FOLDER' })
  const missing = { code: 'FILE_NOT_FOUND', message: expect.stringContaining(folder.at('source')) }
  await expect(listing('sourcee')).rejects.toMatchObject(missing)
  await expect(listing(' ')).rejects.toMatchObject({ code: 'FILE_BAD_PATH' })
})

test('an empty folder and an interrupted turn are no trouble', async () => {
  using folder = workspace()
  await using files = await fileTools()
  expect((await files.call('list_files', {}, folder.path)).text).toBe('0 entries in .')
  folder.put('x', '')
  const stopped = AbortSignal.abort(new Error('stopped'))
  await expect(files.call('list_files', {}, folder.path, stopped)).rejects.toThrow('stopped')
})
