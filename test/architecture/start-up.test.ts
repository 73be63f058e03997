import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from 'svc/sdk'
import { expect, test } from 'vitest'
import { plan } from '../../kernel/plan.ts'
import { runAndList } from '../support/loaded.ts'
import { read, root } from '../support/repository.ts'
import { services } from '../support/tokens.ts'

/** The manifests that were built in. */
const manifests: readonly Manifest[] = JSON.parse(read('dist/plugins/index.json'))

/** The one file that `--version` and `--help` load: too small for a plugin or a library to hide in. */
const firstFile = 'dist/kernel/bin.cjs'
const FIRST_FILE_BYTES = 32 * 1024

/** Packages that one question to the demo model needs; the last two come with better-sqlite3. */
const oneShotPackages = [
  'awilix',
  'better-sqlite3',
  'cac',
  'fastest-levenshtein',
  'tapable',
  'zod',
  'bindings',
  'file-uri-to-path',
]

test('svc --version loads one file', () => {
  const run = runAndList(['--version'])
  expect(run).toMatchObject({ code: 0, err: '', files: [firstFile] })
  expect(run.out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('svc --help reads manifests: the same file is enough, no plugin and no library is loaded', () => {
  const { code, out, files } = runAndList(['--help'])
  expect({ code, files }).toEqual({ code: 0, files: [firstFile] })
  for (const entry of manifests.flatMap(({ cli = [] }) => cli)) expect(out).toContain(`  ${entry.name} `)
  expect(statSync(join(root, firstFile)).size).toBeLessThan(FIRST_FILE_BYTES)
})

test('a mistyped command loads no plugin either', () => {
  const { code, err, sources, packages } = runAndList(['caht'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: svc chat') })
  expect(sources.filter((file) => file.startsWith('plugins/'))).toEqual([])
  expect(packages).toEqual(['fastest-levenshtein'])
})

test('one question loads the plugins that the plan names and only the packages they need', () => {
  const { code, out, sources, packages } = runAndList(['chat', '--provider', 'demo', '-q', 'hi'])
  expect({ code, answered: out.trim().length > 0 }).toEqual({ code: 0, answered: true })
  expect(packages).toEqual([...oneShotPackages].sort())
  const loaded = sources.filter((file) => /^plugins\/[^/]+\/index\.ts$/.test(file)).map((file) => file.split('/')[1])
  expect(loaded).toEqual(plannedFor('chat'))
})

/** Names of the plugins that a command of this plugin brings along, sorted. */
function plannedFor(name: string): string[] {
  const all = manifests.map((manifest) => ({ manifest, origin: 'built-in', dir: '' }) as const)
  const provided = new Set(manifests.flatMap(({ provides = [] }) => provides))
  const given = new Set(
    services()
      .map(({ token }) => token.id)
      .filter((id) => !provided.has(id)),
  )
  return plan(all, { names: [name], given })
    .load.map(({ manifest }) => manifest.name)
    .sort()
}
