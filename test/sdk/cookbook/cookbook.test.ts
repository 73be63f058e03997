/** The recipes of examples/COOKBOOK.md are files that the type check reads and the built program runs (scenarios/small-plugins). */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, sourcesBelow } from '../../support/repository.ts'
import { hooks, points } from '../../support/tokens.ts'

const text = readFileSync(join(root, 'examples/COOKBOOK.md'), 'utf8')
const recipes = [...text.matchAll(/<!-- ([\w-]+) -->\n```ts\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => ({
  name,
  code,
}))
/** What no small plugin or example uses yet; built-in plugins do. */
const POINTS_WITHOUT_PLUGIN = [
  ...['Summarizers', 'SignInFlows', 'ShellBackends', 'ReadableFolders', 'WebSearchProviders', 'ImageGenerators'],
  ...['SpeechBackends', 'PlatformStandIns', 'Themes', 'MessageRenderers', 'EntryRenderers', 'PromptMarks'],
]
const HOOKS_WITHOUT_PLUGIN = [
  ...['AroundModelCall', 'ModelCallFinished', 'AfterToolBatch', 'SelectToolDefinitions', 'SelectCommandEnvironment'],
  ...['ApprovalAnswered', 'QuestionAsked', 'QuestionAnswered', 'SubagentStarted', 'SubagentEnded'],
  ...['BackgroundTaskStarted', 'BackgroundTaskEnded', 'BeforeInboundMessage', 'BeforeDelivery', 'BeforeConfigChange'],
  ...['WorkingFolderChanged', 'SvcStarted', 'SvcStopping'],
]
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

test('the small plugins and the examples use every hook of the SDK, and the points but those listed', () => {
  const used = [...sourcesBelow('test/support/plugins'), ...sourcesBelow('examples')].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  const uses = (name: string) => used.some((source) => new RegExp(`ctx\\.(on|add|call)\\(\\s*${name}\\b`).test(source))
  const missing = (tokens: readonly { readonly name: string }[]) =>
    tokens.map(({ name }) => name).filter((name) => !uses(name))
  expect(missing(hooks()).filter((name) => !HOOKS_WITHOUT_PLUGIN.includes(name))).toEqual([])
  expect(missing(points()).filter((name) => !POINTS_WITHOUT_PLUGIN.includes(name))).toEqual([])
})
