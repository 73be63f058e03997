/** How long snapshots are kept, and of what there are none. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { listTree, openStore, projectFolder } from './support.ts'

test('a folder too large, the root, and what holds the home are left out with a reason', async () => {
  const store = openStore({ config: { max_total_mb: 0.001 } })
  const dir = projectFolder()
  writeFiles(dir, { a: 'x'.repeat(600), b: 'x'.repeat(600) })
  expect((await store.take(dir, 'one')).why).toContain('max_total_mb')
  expect((await store.take('/', 'one')).why).toBe('/ holds more than a project.')
  await expect(store.list('/')).resolves.toEqual([])
})

test('only the newest are kept, and their ids stay', async () => {
  const store = openStore({ config: { max_snapshots: 3 } })
  const dir = projectFolder()
  const ids: (string | undefined)[] = []
  for (let at = 0; at < 5; at++) {
    writeFiles(dir, { 'a.txt': `${at}` })
    ids.push((await store.take(dir, `${at}`)).id)
  }
  expect((await store.list(dir)).map(({ id }) => id)).toEqual(ids.slice(2).reverse())
  await store.restore(dir, '3')
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('2')
  expect(await store.list(dir)).toHaveLength(3)
  expect((await store.list(dir)).map(({ id }) => id)).toContain(ids[2])
})

test('old snapshots go at the daily clearing, and the next one is whole again', async () => {
  const clock = virtualClock()
  const store = openStore({ clock })
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  await store.take(dir, 'one')
  await store.pruneDaily()
  expect(await store.list(dir)).toHaveLength(1)
  await clock.advance(8 * 86_400_000)
  await store.pruneDaily()
  expect(await store.list(dir)).toEqual([])
  expect(await store.take(dir, 'two')).toEqual({ id: expect.any(String) })
  writeFiles(dir, { 'a.txt': 'A' })
  await store.restore(dir, '1')
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a')
})

test('snapshots of a folder that is gone are cleared after a day', async () => {
  const clock = virtualClock()
  const home = temporaryFolder()
  const store = openStore({ clock, home })
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  await store.take(dir, 'one')
  renameSync(dir, `${dir}-moved`)
  await clock.advance(2 * 86_400_000)
  expect(await store.prune()).toMatchObject({ removed: 1, kept: 0 })
  const refs = execFileSync('git', [`--git-dir=${join(home, 'data/checkpoints/store')}`, 'for-each-ref'])
  expect(refs.toString()).toBe('')
})

test('too much in all: the oldest go first, and each project keeps its newest as long as that helps', async () => {
  const home = temporaryFolder()
  const dirs = [projectFolder(), projectFolder()]
  const store = openStore({ home })
  for (const [number, dir] of dirs.entries())
    for (let at = 0; at < 3; at++) {
      writeFiles(dir, { 'a.txt': `${number} ${at}` })
      await store.take(dir, `${at}`)
    }
  const small = openStore({ home, config: { max_total_mb: 0.0001 } })
  const done = await small.prune()
  expect(done.removed).toBeGreaterThan(3)
})

test('clear removes everything, and snapshots go on afterwards', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  await store.take(dir, 'one')
  expect(await store.total()).toMatchObject({ snapshots: 1, projects: 1 })
  await store.clear()
  expect(await store.total()).toEqual({ snapshots: 0, projects: 0, bytes: 0 })
  expect(await store.take(dir, 'two')).toEqual({ id: expect.any(String) })
})

test('a cache that is broken or names what is gone costs only time', async () => {
  const home = temporaryFolder()
  const store = openStore({ home })
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a' })
  await store.take(dir, 'one')
  const cache = join(home, 'data/checkpoints/projects')
  const [name] = readdirSync(cache)
  const file = join(cache, name as string)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"tree":"[0-9a-f]{40}"/, `"tree":"${'1'.repeat(40)}"`))
  writeFiles(dir, { 'b.txt': 'b' })
  expect(await store.take(dir, 'two')).toEqual({ id: expect.any(String) })
  writeFileSync(file, '{"version":')
  writeFiles(dir, { 'c.txt': 'c' })
  expect(await store.take(dir, 'three')).toEqual({ id: expect.any(String) })
  await store.restore(dir, '2')
  expect(listTree(dir)).toEqual(['"a.txt" 644 a', '"b.txt" 644 b'])
})

test('with more than 50,000 files there are no new snapshots; those there are can still be listed', async () => {
  const store = openStore()
  const dir = projectFolder()
  writeFiles(dir, { 'a.txt': 'a', 'node_modules/p.js': 'p' })
  await store.take(dir, 'one')
  execFileSync('sh', ['-c', 'seq 0 50000 | xargs touch'], { cwd: dir })
  expect((await store.take(dir, 'two')).why).toBe(`${dir} has more than 50,000 files.`)
  await expect(store.restore(dir, '1')).rejects.toMatchObject({ code: 'CHECKPOINT_LEFT_OUT' })
  expect(await store.list(dir)).toHaveLength(1)
})
