/** The entries that come with svc. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCatalogFolder, readCatalogs } from '../../../../plugins/mcp/mcp-catalog/catalog.ts'
import { createServer, getState } from '../../../../plugins/mcp/mcp-catalog/server.ts'
import { root } from '../../../support/repository.ts'

const folder = join(root, 'optional-mcps')
const { entries, diagnostics } = await readCatalogs([folder])

test('every folder of optional-mcps is an entry that can be used, and there are at least twelve', () => {
  expect(diagnostics).toEqual([])
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(entries.map(({ name }) => name)).toEqual(folders.map(({ name }) => name).sort())
  expect(entries.length).toBeGreaterThanOrEqual(12)
})

test('the folder is found from the sources and from the built program', () => {
  expect(findCatalogFolder()).toBe(folder)
  expect(findCatalogFolder(join(root, 'dist', 'kernel'))).toBe(folder)
  expect(findCatalogFolder('/nowhere/at/all')).toBe('/optional-mcps')
})

test.for(entries)(
  '$name says where it is from, and what runs on this machine has an exact version',
  ({ source, transport }) => {
    expect(source).toMatch(/^https:/)
    if (transport.type === 'http') return
    expect(transport.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(transport.args.filter((word) => word.endsWith(`@${transport.version}`))).toHaveLength(1)
    expect([transport.command, transport.args[0]]).toEqual(['npx', '-y'])
  },
)

test.for(entries)('$name, once it is written, is recognised as installed', (entry) => {
  const settings = createServer(entry, '/somewhere', () => false)
  expect(getState(entry, '/somewhere', settings)).toBe('enabled')
  expect(getState(entry, '/somewhere', { ...settings, enabled: false })).toBe('disabled')
  expect(getState(entry, '/somewhere', undefined)).toBe('available')
  expect(getState(entry, '/somewhere', { command: 'other' })).toBe('other')
})
