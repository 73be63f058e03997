import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Config, defineService, extensionPoint, Secrets, type Service } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { Consents } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ConfigFollower } from '../../program/config-follower.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

interface Box {
  readonly size: number
}
const Box: Service<Box> = defineService('box')
const Words = extensionPoint<string>('words', (word) => word)

const boxes = {
  name: 'boxes',
  provides: ['box'],
  config: z.object({ size: z.number().default(1) }),
  setup(ctx: { config: unknown; provide(token: Service<Box>, make: () => Box): unknown }) {
    const { size } = ctx.config as { size: number }
    ctx.provide(Box, () => ({ size }))
  },
} as const

/** A running kernel that follows edits of its home. */
async function follow(files: Readonly<Record<string, unknown>>) {
  const home = temporaryFolder()
  writeFiles(home, files)
  const kernel = await testKernel({ home, with: [boxes] })
  await kernel.follow()
  const edit = (path: string, text: string) => writeFileSync(join(home, path), text)
  return { ...kernel, edit }
}
/** Editors and disks take their time; what is waited for comes within a second or two. */
const soon = { timeout: 10_000, interval: 20 }

test('an edit of config.yaml reaches the running plugin', async () => {
  await using kernel = await follow({ 'config.yaml': 'plugins: { entries: { boxes: { size: 1 } } }\n' })
  kernel.edit('config.yaml', 'plugins: { entries: { boxes: { size: 2 } } }\n')
  await vi.waitFor(() => expect(kernel.use(Box).size).toBe(2), soon)
  expect(kernel.plugins.info('boxes')).toMatchObject({ status: 'started', generation: 2 })
})

test('a config.yaml that is made while the program runs counts from then on', async () => {
  await using kernel = await follow({})
  kernel.edit('config.yaml', 'plugins: { entries: { boxes: { size: 3 } } }\n')
  await vi.waitFor(() => expect(kernel.use(Box).size).toBe(3), soon)
})

test('a config.yaml that is replaced in one step, as careful editors do, counts too, every time', async () => {
  await using kernel = await follow({ 'config.yaml': 'plugins: { entries: { boxes: { size: 1 } } }\n' })
  for (const size of [2, 3, 4]) {
    kernel.edit('config.yaml.new', `plugins: { entries: { boxes: { size: ${size} } } }\n`)
    renameSync(join(kernel.home, 'config.yaml.new'), join(kernel.home, 'config.yaml'))
    await vi.waitFor(() => expect(kernel.use(Box).size).toBe(size), soon)
  }
})

test('a .env that is made while the program runs counts from then on', async () => {
  await using kernel = await follow({})
  kernel.edit('.env', 'A_KEY=made-later\n')
  await vi.waitFor(() => expect(kernel.use(Secrets).get('A_KEY')).toBe('made-later'), soon)
})

test('a broken edit changes nothing but is told, and the next good one counts', async () => {
  await using kernel = await follow({ 'config.yaml': 'plugins: { entries: { boxes: { size: 1 } } }\n' })
  kernel.edit('config.yaml', 'plugins: { entries: { boxes: { size: 2 ')
  await vi.waitFor(() => expect(kernel.use(Config).problems()).toHaveLength(1), soon)
  expect(kernel.use(Box).size).toBe(1)
  expect(kernel.plugins.info('boxes')?.generation).toBe(1)
  kernel.edit('config.yaml', 'plugins: { entries: { boxes: { size: 4 } } }\n')
  await vi.waitFor(() => expect(kernel.use(Box).size).toBe(4), soon)
  expect(kernel.use(Config).problems()).toEqual([])
})

test('an edit of .env reaches secrets and the values that refer to it', async () => {
  await using kernel = await follow({ 'config.yaml': 'note: ${A_KEY}\n', '.env': 'A_KEY=first-value\n' })
  kernel.edit('.env', 'A_KEY=second-value\n')
  await vi.waitFor(() => expect(kernel.use(Config).get('note')).toBe('second-value'), soon)
  expect(kernel.use(Secrets).get('A_KEY')).toBe('second-value')
})

const manifest = {
  name: 'mine',
  version: '1.0.0',
  sdk: '*',
  kind: 'tool',
  description: 'Mine.',
  contributes: { words: ['*'] },
}

function saying(word: string): string {
  return `export default { setup(ctx) { ctx.add({ id: 'words', key: (word) => word }, '${word}') } }`
}

test('an edit of a plugin of the user replaces it, and a broken edit leaves the old one serving', async () => {
  await using kernel = await follow({
    'config.yaml': 'plugins: { enabled: [mine] }\n',
    'plugins/mine/plugin.json': manifest,
    'plugins/mine/index.js': saying('one'),
  })
  await kernel.plugins.enable('mine')
  const [consents, mine] = [kernel.use(Consents), kernel.plugins.info('mine') as PluginInfo]
  await consents.agree(mine, (await consents.inspect(mine)).hash, { development: true })
  expect(kernel.all(Words).all()).toEqual(['one'])
  kernel.edit('plugins/mine/index.js', saying('two'))
  await vi.waitFor(() => expect(kernel.all(Words).all()).toEqual(['two']), soon)
  kernel.edit('plugins/mine/index.js', 'export default {{{')
  await vi.waitFor(() => expect(kernel.problems().length).toBeGreaterThan(0), soon)
  expect(kernel.all(Words).all()).toEqual(['two'])
  kernel.edit('plugins/mine/index.js', saying('three'))
  await vi.waitFor(() => expect(kernel.all(Words).all()).toEqual(['three']), soon)
})

/** Ways in which editors save, the last ones as an editor with a formatter does. */
const ways: Readonly<
  Record<string, (file: string, texts: readonly [first: string, last: string]) => void | Promise<void>>
> = {
  'in place': (file, [, last]) => writeFileSync(file, last),
  'by rename': (file, [, last]) => {
    writeFileSync(`${file}~`, last)
    renameSync(`${file}~`, file)
  },
  'twice in place': (file, [first, last]) => {
    writeFileSync(file, first)
    writeFileSync(file, last)
  },
  'in place, then by rename within milliseconds': async (file, [first, last]) => {
    await writeFile(file, first)
    await writeFile(`${file}~`, last)
    await rename(`${file}~`, file)
  },
  'by rename, then in place within milliseconds': async (file, [first, last]) => {
    await writeFile(`${file}~`, first)
    await rename(`${file}~`, file)
    await writeFile(file, last)
  },
}

test.for(Object.entries(ways))('every save of a plugin and of config.yaml is seen: %s', async ([, save]) => {
  await using kernel = await follow({
    'config.yaml': 'plugins: { enabled: [mine] }\n',
    'plugins/mine/plugin.json': manifest,
    'plugins/mine/index.js': saying('0'),
  })
  await kernel.plugins.enable('mine')
  const [consents, mine] = [kernel.use(Consents), kernel.plugins.info('mine') as PluginInfo]
  await consents.agree(mine, (await consents.inspect(mine)).hash, { development: true })
  const block = (size: number) => `plugins: { enabled: [mine], entries: { boxes: { size: ${size} } } }\n`
  for (const number of [1, 2, 3, 4]) {
    await save(join(kernel.home, 'plugins/mine/index.js'), [saying(`draft ${number}`), saying(`${number}`)])
    await save(join(kernel.home, 'config.yaml'), [block(number * 100), block(number)])
    await vi.waitFor(
      () => expect([kernel.all(Words).all(), kernel.use(Box).size]).toEqual([[`${number}`], number]),
      soon,
    )
  }
})

test('a config.yaml that is removed while the program runs leaves the values as they were, and is reported', async () => {
  await using kernel = await follow({ 'config.yaml': 'plugins: { entries: { boxes: { size: 2 } } }\n' })
  rmSync(join(kernel.home, 'config.yaml'))
  const isGone = expect.objectContaining({ message: expect.stringContaining('config.yaml is gone') })
  await vi.waitFor(() => expect(kernel.use(Config).problems()).toContainEqual(isGone), soon)
  expect(kernel.use(Box).size).toBe(2)
})

test('anyone who never began to follow can stop', async () => {
  const kernel = {} as ConstructorParameters<typeof ConfigFollower>[0]
  await expect(new ConfigFollower(kernel, { file: '' }).stop()).resolves.toBeUndefined()
})
