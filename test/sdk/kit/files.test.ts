import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { keepNewest, resolveLink, writeAtomically, writeAtomicallySync } from 'svc/sdk/kit/files'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary.ts'

const getMode = (file: string) => (statSync(file).mode & 0o777).toString(8)

describe.each([
  ['writeAtomically', writeAtomically],
  ['writeAtomicallySync', async (...args: Parameters<typeof writeAtomicallySync>) => writeAtomicallySync(...args)],
] as const)('%s', (_name, write) => {
  test('writes a new file for its owner only, and replaces an old one with its mode', async () => {
    const dir = temporaryFolder()
    const file = join(dir, 'a.json')
    await write(file, 'one')
    expect([readFileSync(file, 'utf8'), getMode(file)]).toEqual(['one', '600'])
    chmodSync(file, 0o640)
    const inode = statSync(file).ino
    await write(file, new TextEncoder().encode('two'))
    expect([readFileSync(file, 'utf8'), getMode(file)]).toEqual(['two', '640'])
    expect(statSync(file).ino).not.toBe(inode)
    await write(file, 'three', { mode: 0o600, enforceMode: true })
    expect(getMode(file)).toBe('600')
    expect(readdirSync(dir)).toEqual(['a.json'])
  })

  test('writes through a link, even to a file that does not exist yet', async () => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, 'real'))
    symlinkSync('real/a', join(dir, 'link'))
    await write(join(dir, 'link'), 'one')
    await write(join(dir, 'link'), 'two')
    expect(readFileSync(join(dir, 'real/a'), 'utf8')).toBe('two')
    expect(resolveLink(join(dir, 'link'))).toBe(join(dir, 'real/a'))
  })

  test('leaves the old file and nothing beside it when it fails', async () => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, 'folder'))
    await expect(write(join(dir, 'folder'), 'text')).rejects.toThrow('not a regular file')
    await expect(write(join(dir, 'missing/a'), 'text')).rejects.toMatchObject({ code: 'ENOENT' })
    const blocked = join(dir, 'b')
    writeFileSync(blocked, 'old')
    mkdirSync(join(dir, '.b.svc-tmp/x'), { recursive: true })
    await expect(write(blocked, 'new', { isLocked: true })).rejects.toThrow()
    expect(readFileSync(blocked, 'utf8')).toBe('old')
    expect(readdirSync(dir).sort()).toEqual(['.b.svc-tmp', 'b', 'folder'])
  })

  test('replaces what a crash left beside a locked file', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, '.a.svc-tmp'), 'half a fi')
    await write(join(dir, 'a'), 'whole', { isLocked: true })
    expect(readdirSync(dir)).toEqual(['a'])
  })
})

test('of many files the newest are kept', async () => {
  const dir = temporaryFolder()
  for (const [at, name] of ['c', 'a', 'd', 'b'].entries()) {
    writeFileSync(join(dir, name), '')
    utimesSync(join(dir, name), at, at)
  }
  await keepNewest(dir, 2)
  expect(readdirSync(dir).sort()).toEqual(['b', 'd'])
  await keepNewest(dir, 2)
  expect(existsSync(join(dir, 'b'))).toBe(true)
})
