/** The snippets of the guide to the screen: type-checked against the sources, and run on a screen as one plugin. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TerminalUi } from 'svc/sdk/terminal'
import { fakeProvider } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { apart, stage } from '../plugins/terminal-ui/tui/stage.ts'
import { temporaryFolder } from '../support/temporary.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'sdk/SCREEN.md'), 'utf8')
const snippets = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)

const source = `import { definePlugin, SlashCommands } from 'svc/sdk'
import { TurnEnded } from 'svc/sdk'
import {
  ComposerMarks, EntryRenderers, KeyBindings, MessageRenderers, StatusItems, TerminalUi, Themes, ToolRenderers, Widgets,
} from 'svc/sdk/terminal'

export default definePlugin({
  setup(ctx) {
${snippets.map((code) => `    {\n${code}    }\n`).join('')}  },
})
`

const manifest = {
  name: 'guide',
  version: '0.1.0',
  sdk: '^0.2.0',
  kind: 'screen',
  description: 'The snippets of the guide.',
  with: ['terminal-ui', 'display', 'composers', 'conversations'],
  contributes: {
    'slash-commands': ['pick'],
    'key-bindings': ['alt+j'],
    widgets: ['demo'],
    'status-items': ['demo'],
    'tool-views': ['demo'],
    'entry-renderers': ['demo:note'],
    'message-renderers': ['demo'],
    'composer-marks': ['demo'],
    themes: ['demo'],
  },
  aliases: { 'key-bindings': ['M-j'] },
}

test('all parts of the guide have a snippet, and every snippet compiles', { timeout: 120_000 }, () => {
  expect(snippets).toHaveLength(4)
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'index.ts'), source)
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }))
  const compilerOptions = {
    ...{ noEmit: true, rootDir: '/', typeRoots: [join(root, 'node_modules/@types')] },
    paths: {
      'svc/sdk': [join(root, 'sdk/index.ts')],
      'svc/sdk/*': [join(root, 'sdk/entries/*.ts')],
    },
  }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [join(dir, 'index.ts')] }
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const said = spawnSync(process.execPath, [tsc, '-p', dir], { encoding: 'utf8' })
  expect(said.stdout).toBe('')
  expect(said.status).toBe(0)
})

test('the snippets run as one plugin and do what the guide says', async () => {
  const home = temporaryFolder()
  const dir = join(home, 'plugins/guide')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'index.ts'), source)
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'svc-guide', version: '0.1.0', type: 'module' }))
  const config = { plugins: { enabled: ['guide'], disabled: apart } }
  const on = await stage(fakeProvider(['Hello.']), { home, config })
  await on.type('Urgent: look', 'enter')
  await on.settled()
  await on.drawn()
  await on.seen('1 done')
  expect(on.text().split('\n').at(-1)).toContain('✓ 1')
  await on.type('/pick 41', 'enter')
  await on.seen('41 (room 36x6)')
  await on.key('up', 'enter')
  await on.seen('You picked 42.')
  await on.key('M-j')
  await on.seen('✎ A note for the **user**')
  expect(on.screen.said).toEqual(expect.arrayContaining(['title at work', 'notify Done: The build is green', 'lend']))
  expect(on.kernel.use(TerminalUi).of(on.conversation.sessionId)?.draft).toBe(' (see the log)')
})
