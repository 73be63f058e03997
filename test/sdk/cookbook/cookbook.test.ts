/** The recipes of examples/COOKBOOK.md are files that the type check reads and the built program runs (scenarios/small-plugins). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, sourcesBelow } from '../../support/repository.ts'
import { hooks, points, services } from '../../support/tokens.ts'

const text = readFileSync(join(root, 'examples/COOKBOOK.md'), 'utf8')
const recipes = [...text.matchAll(/<!-- ([\w-]+) -->\n```ts\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => ({
  name,
  code,
}))
const plugins = join(root, 'test/support/plugins')

test('each piece of code in the cookbook is a file of the test tree, word for word', () => {
  expect(recipes).toHaveLength(text.match(/```ts/g)?.length ?? 0)
  for (const { name, code } of recipes) {
    const own = join(import.meta.dirname, `${name}.ts`)
    expect(code).toBe(readFileSync(existsSync(own) ? own : join(plugins, name, 'index.ts'), 'utf8'))
  }
})

test('the recipe that runs a turn has an answer', async () => {
  const { outcome } = await import('./run-a-turn.ts')
  expect(outcome).toMatchObject({ text: 'It is fine.', reason: 'completed', error: undefined })
})

test('the links of the index lead to headings', () => {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(' ', '-')
      .replace(/[^\w-]/g, ''),
  )
  for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor)
})

test('each example is named in the README of the examples', () => {
  const readme = readFileSync(join(root, 'examples/README.md'), 'utf8')
  const folders = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) expect(readme).toContain(`(${name})`)
})

const readAll = (folder: string) => sourcesBelow(folder).map((path) => readFileSync(join(root, path), 'utf8'))

/** The tokens that no call of these methods in the sources names. */
function missing(tokens: readonly { readonly name: string }[], methods: string, sources: readonly string[]): string[] {
  const uses = (name: string) => sources.some((text) => new RegExp(`\\.(${methods})\\(\\s*${name}\\b`).test(text))
  return tokens.map(({ name }) => name).filter((name) => !uses(name))
}

test('the small plugins and the examples use every hook and every point of the SDK', () => {
  const sources = [...readAll('test/support/plugins'), ...readAll('examples')]
  expect(missing(hooks(), 'on|call', sources)).toEqual([])
  expect(missing(points(), 'add', sources)).toEqual([])
})

test('a built-in plugin, an example or a small plugin uses every service of the SDK', () => {
  const sources = [...readAll('plugins'), ...readAll('test/support/plugins'), ...readAll('examples')]
  expect(missing(services(), 'use|find|bring', sources)).toEqual([])
})
