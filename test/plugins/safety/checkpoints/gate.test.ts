/** The snapshots that turns take by themselves. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Checkpoints } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { start } from './scene.ts'
import { projectFolder } from './support.ts'

test('one snapshot for each turn that writes, before its first change; none for turns that only look', async () => {
  const { talk, dir, put, snapshots } = await start()
  writeFiles(dir, { 'a.txt': '0' })
  await talk.type('hello', 'do peek', 'do post', 'do shell {"command":"git status && ls -la | head -5 2>/dev/null"}')
  expect(await snapshots()).toEqual([])
  await talk.type(`do ${put('a.txt', '1')}\n${put('b.txt', '1')}\n${put('sub/c.txt', '1')}`)
  await talk.type('do shell {"command":"make","writes":"d.txt"}', 'do shell {"command":"ls > e.txt","writes":"e.txt"}')
  expect((await snapshots()).map(({ reason, changed }) => [reason, changed.files])).toEqual([
    ['before shell', 1],
    ['before shell', 2],
    ['before put', 5],
  ])
})

test('a tool that does not say what it changes has a snapshot before it, whatever its input looks like', async () => {
  const { talk, dir, snapshots } = await start()
  writeFiles(dir, { 'a.txt': '0' })
  await talk.type('do mystery {"action":"list"}')
  expect((await snapshots()).map(({ reason }) => reason)).toEqual(['before mystery'])
})

test('a file of another project has its snapshot there, and the list tells of it', async () => {
  const { talk, dir, put, kernel } = await start()
  const other = projectFolder()
  writeFiles(other, { 'x.txt': 'mine', 'deep/package.json': '{}' })
  await talk.type(`do ${put(join(other, 'x.txt'), 'agent')}`)
  expect(await talk.type('/rollback')).toContain(`This session also has snapshots of \`${other}\`.`)
  expect(await kernel.use(Checkpoints).list(dir)).toEqual([])
  await kernel.use(Checkpoints).restore(other, '1')
  expect(readFileSync(join(other, 'x.txt'), 'utf8')).toBe('mine')
})

test('a file that is in no project gets no snapshot of all around it', async () => {
  const { talk, put, kernel, notices } = await start()
  const nowhere = temporaryFolder()
  writeFiles(nowhere, { 'others.txt': 'x' })
  await talk.type(`do ${put(join(nowhere, 'new.txt'), 'agent')}`)
  expect(await kernel.use(Checkpoints).list(nowhere)).toEqual([])
  expect(notices()).toEqual([])
})

test('without git tools continue, people are told once, and /rollback says what to install', async () => {
  const { talk, dir, put, notices } = await start({ path: '/nonexistent' })
  await talk.type(`do ${put('a.txt', '1')}`, `do ${put('a.txt', '2')}`)
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('2')
  expect(notices()).toEqual([expect.stringMatching(/^No snapshot of the files: There is no git .+apt install git/)])
  expect(await talk.type('/rollback 1')).toContain('Install git 2.20')
  expect(await talk.type('/rollback')).toContain('Install git 2.20')
})

test('a folder that is left out is said once, and tools continue', async () => {
  const { talk, dir, put, notices } = await start({ config: { max_total_mb: 0.000001 } })
  writeFiles(dir, { 'big.txt': 'x'.repeat(100) })
  await talk.type(`do ${put('a.txt', '1')}`, `do ${put('a.txt', '2')}`)
  expect(notices()).toEqual([expect.stringContaining('max_total_mb')])
})

test('switched off it takes none, and says so', async () => {
  const { talk, put, snapshots } = await start({ config: { enabled: false } })
  await talk.type(`do ${put('a.txt', '1')}`)
  expect(await snapshots()).toEqual([])
  expect(await talk.type('/rollback')).toContain('`checkpoints.enabled` is false')
})
