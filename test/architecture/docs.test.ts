import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Manifest } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { hashFolder } from '../../plugins/skills/skill-seeds/tree.ts'
import { builtInSkills } from '../builtin-skills/skills.ts'
import { CONTRACT, makeContract } from '../support/docs/browser-contract.ts'
import { documents } from '../support/docs/documents.ts'
import { fill, markersIn, table } from '../support/docs/markdown.ts'
import { modelManifests } from '../support/docs/model-services.ts'
import { exists, filesBelow, read, rooms, root } from '../support/repository.ts'

const update = process.env['UPDATE_DOCS'] === '1'
const all = documents()

// First: other documents read the manifests.
test.for(modelManifests)('$path says what the entries of its services say', ({ path, make }) => {
  const now = JSON.parse(read(path)) as Manifest
  const fresh = make(now)
  if (update && !isDeepStrictEqual(now, fresh)) writeFileSync(join(root, path), formatted(path, fresh))
  else if (!update) expect(now, `${path} is out of date; run: npm run docs`).toEqual(fresh)
})

test.for(all)('$path says what the code says', async ({ path, parts }) => {
  const text = exists(path) ? read(path) : ''
  let fresh = text
  for (const [name, make] of Object.entries(parts)) fresh = fill(fresh, name, await make())
  if (update) writeFileSync(join(root, path), fresh)
  else expect(text, `${path} is out of date; run: npm run docs`).toBe(fresh)
})

test('the index of built-in skills says what is in each of them', () => {
  const path = 'builtin-skills/index.json'
  const entries = builtInSkills().map(({ folder }) => [
    folder.slice('builtin-skills/'.length),
    hashFolder(join(root, folder)),
  ])
  const fresh = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
  if (update) writeFileSync(join(root, path), fresh)
  else expect(exists(path) ? read(path) : '', `${path} is out of date; run: npm run docs`).toBe(fresh)
})

test('the types of the web UI for its client are those of the routes and methods', async () => {
  const fresh = formatted(CONTRACT, await makeContract())
  if (update) writeFileSync(join(root, CONTRACT), fresh)
  else expect(exists(CONTRACT) ? read(CONTRACT) : '', `${CONTRACT} is out of date; run: npm run docs`).toBe(fresh)
})

/** As `npm run check` wants it. */
function formatted(path: string, value: unknown): string {
  const biome = join(root, 'node_modules/.bin/biome')
  const input = typeof value === 'string' ? value : JSON.stringify(value)
  return execFileSync(biome, ['format', '--stdin-file-path', path], { cwd: root, input, encoding: 'utf8' })
}

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  .concat([...rooms, 'sdk', 'plugins', 'examples', 'test'].flatMap(filesBelow))
  .filter((path) => path.endsWith('.md') && exists(path))

test('every generated part of a document has someone who generates it', () => {
  for (const path of pages) {
    const parts = all.find((document) => document.path === path)?.parts ?? {}
    expect({ path, parts: markersIn(read(path)).sort() }).toEqual({ path, parts: Object.keys(parts).sort() })
  }
})

test('every link between documents leads to a file', () => {
  const broken = pages.flatMap((path) => {
    const targets = [...read(path).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(([, target = '']) => target)
    return targets
      .filter((target) => !/^\w+:/.test(target) && !exists(posix.join(posix.dirname(path), target)))
      .map((target) => `${path} links to ${target}`)
  })
  expect(broken).toEqual([])
})

test('only what stands between the markers is replaced, as often as one likes', () => {
  const text = 'before\n<!-- a:start -->\nold\n<!-- a:end -->\nafter\n'
  const content = table(['x | y'], [['1\n2']])
  const once = fill(text, 'a', content)
  expect(once).toBe('before\n<!-- a:start -->\n\n| x \\| y |\n| --- |\n| 1 2 |\n\n<!-- a:end -->\nafter\n')
  expect(fill(once, 'a', content)).toBe(once)
  expect(() => fill(text, 'b', content)).toThrow('<!-- b:start -->')
})
