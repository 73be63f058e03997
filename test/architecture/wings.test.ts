/** Plugins stand in wings, so that a listing is short at every level. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findManifest, pluginFolder, pluginNames, read, root } from '../support/repository.ts'

const MAX_ENTRIES = 20
/** Each chat service is one. */
const MAX_PLATFORMS = 40

/** Folders below `plugins` that hold plugins: the wings and what they are divided into. */
const wings = [...new Set(pluginNames().map((name) => pluginFolder(name).split('/').slice(0, -1).join('/')))].sort()

test('every plugin stands in a wing, and its folder has its name', () => {
  expect(wings).not.toContain('plugins')
  const strange = pluginNames().filter((name) => findManifest(name)?.name !== name)
  expect(strange).toEqual([])
})

test('a listing of plugins is short at every level', () => {
  const tops = ['plugins', ...wings, ...wings.map((wing) => `test/${wing}`)]
  const most = (folder: string) => (folder.endsWith('messaging/platforms') ? MAX_PLATFORMS : MAX_ENTRIES)
  const long = tops.filter((folder) => readdirSync(join(root, folder)).length > most(folder))
  expect(long).toEqual([])
})

test('the README of the plugins says what each wing is for', () => {
  const named = [...read('plugins/README.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => `plugins/${name}`)
  const top = [...new Set(wings.map((wing) => wing.split('/').slice(0, 2).join('/')))]
  expect(named).toEqual(top)
})
