import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { conformance } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'

const manifest = {
  name: 'guest',
  version: '1.0.0',
  sdk: '^0.1.0',
  kind: 'tool',
  description: 'Guest.',
  with: ['agent'],
}
const pack = { name: 'svc-plugin-guest', version: '1.0.0', type: 'module', keywords: ['svc-plugin'] }
const index = (line: string) =>
  `import { definePlugin } from 'svc/sdk'\n${line}\nexport default definePlugin({ setup() {} })\n`

/** Files below a folder whose parent has packages, as in a workspace: `extra` is part of package.json. */
function folder(files: Readonly<Record<string, string>>, extra: object = {}): string {
  const parent = mkdtempSync(join(tmpdir(), 'svc-packed-'))
  onTestFinished(() => removeFolder(parent))
  const dir = join(parent, 'guest')
  const all = {
    'node_modules/hoisted/package.json': '{ "name": "hoisted", "version": "1.0.0", "main": "index.js" }',
    'node_modules/hoisted/index.js': 'exports.value = 1\n',
    'guest/plugin.json': JSON.stringify(manifest),
    'guest/package.json': JSON.stringify({ ...pack, ...extra }),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`guest/${path}`, text])),
  }
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(parent, path)), { recursive: true })
    writeFileSync(join(parent, path), text)
  }
  return dir
}

async function failures(dir: string): Promise<string> {
  const { cases } = await conformance({ dir })
  return cases.flatMap(({ result, reason }) => (result === 'failed' ? [reason] : [])).join('\n')
}

test('a package that is complete keeps the contracts, with a package that a parent folder has and it declares', async () => {
  const files = { 'index.js': index("import { value } from 'hoisted'\nvoid value"), 'notes.txt': 'mine' }
  expect(
    await failures(folder(files, { dependencies: { hoisted: '^1.0.0' }, files: ['index.js', 'plugin.json'] })),
  ).toBe('')
})

test('a package that is not declared fails with its name, although a parent folder or svc itself has it', async () => {
  const hoisted = folder({ 'index.js': index("import { value } from 'hoisted'\nvoid value") })
  expect(await failures(hoisted)).toMatch(
    /index\.js imports the package "hoisted", which package\.json does not declare/,
  )
  const own = folder({ 'index.js': index("import semver from 'semver'\nvoid semver") })
  expect(await failures(own)).toMatch(/imports the package "semver", which package\.json does not declare/)
})

test('a file that would not be published fails with its name', async () => {
  const files = { 'index.js': index("import './lib/part.js'"), 'lib/part.js': 'export {}\n' }
  const dir = folder(files, { files: ['index.js', 'plugin.json'] })
  expect(await failures(dir)).toMatch(/lib\/part\.js is in the folder but would not be published; add it to "files"/)
  const bare = folder({ 'index.js': index('') }, { files: ['index.js'] })
  expect(await failures(bare)).toMatch(/plugin\.json is in the folder but would not be published/)
  expect(
    await failures(folder({ 'main.js': '', 'index.js': index('') }, { files: ['main.js', 'plugin.json'] })),
  ).toMatch(/index\.js is in the folder but would not be published/)
})

test.for(['hello-plugin', 'hooks-plugin', 'provider-plugin', 'platform-plugin', 'screen-plugin', 'service-plugin'])(
  'the example %s is complete as it would be published',
  async (name) => {
    expect(await failures(join(root, 'examples', name))).toBe('')
  },
)
