import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { stage } from './mentions-stage.ts'

const files = {
  '.gitignore': 'build/\n',
  'src/editor.ts': '',
  'src/deep/editor-rows.ts': '',
  'build/editor.js': '',
  'two words.md': '',
  'README.md': '',
}

test('files and folders are found by their letters, without what git ignores', async () => {
  const { complete } = await stage(files)
  expect((await complete('look at @edi')).map(({ text, from }) => [text, from])).toEqual([
    ['@src/editor.ts', 8],
    ['@src/deep/editor-rows.ts', 8],
  ])
  expect((await complete('@dee'))[0]).toEqual({ text: '@src/deep/', from: 0, label: 'src/deep/', open: true })
  expect((await complete('@two'))[0]).toEqual({ text: '@"two words.md"', from: 0, label: 'two words.md' })
  expect((await complete('@"two w'))[0]?.text).toBe('@"two words.md"')
})

test('an @ alone shows the special names and what lies on top', async () => {
  const { complete } = await stage(files)
  const labels = (await complete('@')).map(({ text, label }) => label ?? text)
  expect(labels.slice(0, 4)).toEqual(['@diff', '@staged', '@session:', '@url:'])
  expect(labels).toContain('src/')
  expect((await complete('@st')).map(({ text }) => text)).toContain('@staged')
})

test('only a word that begins with @ is completed, and only on this machine', async () => {
  const { complete } = await stage(files)
  for (const text of ['me@edi', 'editor', '@editor ', '@zzz']) expect(await complete(text)).toEqual([])
  expect(await complete('@edi', { surface: 'gateway' })).toEqual([])
})

test('other folders are listed', async () => {
  const { complete, cwd } = await stage(files)
  expect((await complete(`@${cwd}/s`)).map(({ text }) => text)).toEqual([`@${cwd}/src/`])
  expect((await complete('@./src/')).map(({ text }) => text)).toEqual(['@./src/deep/', '@./src/editor.ts'])
  expect(await complete('@/no/such/folder/x')).toEqual([])
})

test('sessions are found by their titles', async () => {
  const { complete, kernel } = await stage()
  const { id } = kernel.use(Sessions).create({ surface: 'cli', cwd: '/', title: 'Parser rewrite' })
  expect(await complete('as in @session:rewr')).toEqual([
    { text: `@session:${id}`, from: 6, label: id, detail: 'Parser rewrite' },
  ])
})

test('a folder that is gone, or empty, has nothing to offer but the special names', async () => {
  const { complete, cwd } = await stage()
  removeFolder(cwd)
  expect(await complete('@edi')).toEqual([])
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'edit.ts'), '')
  expect((await complete('@')).length).toBeGreaterThanOrEqual(4)
})
