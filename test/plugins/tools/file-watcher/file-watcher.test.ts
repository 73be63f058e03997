/** Plugins are told of changed files, in settled reports, and only while they listen. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { FileWatcher, type WatchReport } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Listener } from '../../../../plugins/tools/file-watcher/listener.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

async function open() {
  const kernel = await testKernel({ plugins: ['file-watcher'] })
  onTestFinished(() => kernel.stop())
  const folder = temporaryFolder()
  const reports: WatchReport[] = []
  const seen = () =>
    Object.fromEntries(
      reports.flatMap(({ changes }) => changes.map(({ path, kind }) => [path.slice(folder.length + 1), kind])),
    )
  return { kernel, folder, reports, seen, watcher: kernel.use(FileWatcher) }
}

test('files that appear, change and go are told, also in new folders, but not those of packages and of git', async () => {
  const { folder, watcher, reports, seen } = await open()
  writeFileSync(join(folder, 'old.txt'), 'old')
  writeFileSync(join(folder, 'gone.txt'), 'old')
  mkdirSync(join(folder, 'node_modules'))
  await watcher.watch({ folder, onChange: (report) => void reports.push(report) })
  mkdirSync(join(folder, 'src'))
  for (const name of ['node_modules/x.js', 'src/new.ts', 'old.txt']) writeFileSync(join(folder, name), 'new')
  rmSync(join(folder, 'gone.txt'))
  await expect
    .poll(seen, { timeout: 15_000 })
    .toEqual({ 'src/new.ts': 'added', 'old.txt': 'changed', 'gone.txt': 'removed' })
  expect(reports.every(({ isComplete }) => isComplete)).toBe(true)
})

test('only the named files count, two plugins share a watch, and who stopped listening hears nothing', async () => {
  const { folder, watcher, reports, seen } = await open()
  const others: WatchReport[] = []
  await watcher.watch({ folder, names: ['.env'], onChange: (report) => void reports.push(report) })
  const stop = await watcher.watch({ folder, onChange: (report) => void others.push(report) })
  await stop()
  writeFileSync(join(folder, 'a.txt'), 'a')
  writeFileSync(join(folder, '.env.new'), 'KEY=1')
  renameSync(join(folder, '.env.new'), join(folder, '.env'))
  await expect.poll(seen, { timeout: 15_000 }).toEqual({ '.env': 'added' })
  expect(others).toEqual([])
})

test('a folder that is not there cannot be watched, and at most 32 are', async () => {
  const { folder, watcher } = await open()
  const onChange = () => undefined
  await expect(watcher.watch({ folder: join(folder, 'none'), onChange })).rejects.toMatchObject({
    code: 'FILE_WATCH_FOLDER',
  })
  const stops = []
  for (let index = 0; index < 32; index++) {
    mkdirSync(join(folder, String(index)))
    stops.push(await watcher.watch({ folder: join(folder, String(index)), onChange }))
  }
  await expect(watcher.watch({ folder, onChange })).rejects.toMatchObject({ code: 'FILE_WATCH_LIMIT' })
  await stops[0]?.()
  await watcher.watch({ folder, onChange })
})

test('what a plugin watches ends with it', async () => {
  const folder = temporaryFolder()
  const reports: WatchReport[] = []
  const listener = {
    name: 'acme',
    requires: ['file-watcher'],
    setup: (ctx: PluginContext<undefined>) =>
      ctx.onStart(async () => {
        await ctx.use(FileWatcher).watch({ folder, onChange: (report) => void reports.push(report) })
      }),
  }
  await using kernel = await testKernel({ with: [listener] })
  writeFileSync(join(folder, 'a.txt'), 'a')
  await expect.poll(() => reports.length, { timeout: 15_000 }).toBeGreaterThan(0)
  await kernel.plugins.disable('acme')
  const before = reports.length
  writeFileSync(join(folder, 'b.txt'), 'b')
  await kernel.use(FileWatcher).watch({ folder, onChange: () => undefined })
  writeFileSync(join(folder, 'c.txt'), 'c')
  expect(reports).toHaveLength(before)
})

/** A listener on virtual time. */
async function listen(onChange: (report: WatchReport) => void | Promise<void>) {
  const clock = virtualClock()
  const made: Listener[] = []
  const owner = {
    name: 'owner',
    setup: (ctx: PluginContext<undefined>) => void made.push(new Listener(ctx, { folder: '/work', onChange }, 'acme')),
  }
  const kernel = await testKernel({ with: [owner], clock })
  onTestFinished(() => kernel.stop())
  const [listener] = made
  if (!listener) throw new Error('the plugin was not set up')
  return { clock, kernel, listener }
}

test('changes are told once they settle, at the latest after two seconds, and each file once', async () => {
  const reports: WatchReport[] = []
  const { clock, listener } = await listen((report) => void reports.push(report))
  listener.add({ path: '/work/a', kind: 'added' }, false)
  listener.add({ path: '/work/a', kind: 'changed' }, false)
  listener.add({ path: '/work/b', kind: 'added' }, false)
  listener.add({ path: '/work/b', kind: 'removed' }, false)
  listener.add({ path: '/work/c', kind: 'removed' }, false)
  listener.add({ path: '/work/c', kind: 'added' }, false)
  await clock.advance(199)
  expect(reports).toEqual([])
  await clock.advance(1)
  expect(reports).toEqual([
    {
      folder: '/work',
      changes: [
        { path: '/work/a', kind: 'added' },
        { path: '/work/c', kind: 'changed' },
      ],
      isComplete: true,
    },
  ])
  for (let at = 0; at < 2000; at += 100) {
    listener.add({ path: '/work/log', kind: 'changed' }, false)
    await clock.advance(100)
  }
  expect(reports).toHaveLength(2)
})

test('a flood is cut and said so, a slow listener is not called twice at a time, and one that fails is named', async () => {
  const reports: WatchReport[] = []
  let release = () => {}
  const { clock, listener, kernel } = await listen(async (report) => {
    reports.push(report)
    if (reports.length === 1) await new Promise<void>((resolve) => (release = resolve))
    if (reports.length === 2) throw new Error('a defect')
  })
  for (let index = 0; index < 700; index++) listener.add({ path: `/work/${index}`, kind: 'added' }, false)
  await clock.advance(200)
  expect(reports[0]?.changes).toHaveLength(500)
  expect(reports[0]?.isComplete).toBe(false)
  listener.add({ path: '/work/a', kind: 'changed' }, true)
  await clock.advance(5000)
  expect(reports).toHaveLength(1)
  release()
  await clock.advance(0)
  await clock.advance(5000)
  expect(reports[1]).toEqual({ folder: '/work', changes: [{ path: '/work/a', kind: 'changed' }], isComplete: false })
  listener.add({ path: '/work/b', kind: 'changed' }, false)
  await clock.advance(200)
  expect(reports).toHaveLength(3)
  const log = readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8')
  expect(log).toMatch(/"a plugin that listens to changes of files failed".*"owner":"acme"/)
})
