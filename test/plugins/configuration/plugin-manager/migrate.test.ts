import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plugins, pluginsJson, temporaryFolder, writeFolder, writePlugin } from './support.ts'

const old = {
  'plugin.json': `{ "name": "acme", "version": "1.0.0",   "sdk": "^0.1.0", "kind": "tool", "description": "Old.", "with": ["agent"] }`,
  'index.ts': `import { MessageReceived, definePlugin } from 'svc/sdk'
export default definePlugin({ setup: (ctx) => ctx.on(MessageReceived, (text) => text) })
`,
  'lib/all.ts': `export * from 'svc/sdk'\n`,
  'README.md': '# acme\n\nListens to `MessageReceived`.\n',
  'package.json': `{ "name": "svc-plugin-acme", "version": "1.0.0", "peerDependencies": { "svc": "^0.1.0" } }`,
  'node_modules/x/index.js': `import { MessageReceived } from 'svc/sdk'\n`,
}

function oldPlugin(): string {
  return writeFolder(join(temporaryFolder(), 'acme'), old)
}

const read = (dir: string, file: string) => readFileSync(join(dir, file), 'utf8')

test('without a person and without --write a migration shows the changes and writes nothing', async () => {
  const dir = oldPlugin()
  const { code, out } = await plugins(temporaryFolder(), ['migrate', dir])
  expect(code).toBe(0)
  expect(out).toContain(`-import { MessageReceived, definePlugin } from 'svc/sdk'`)
  expect(out).toContain(`+import { BeforeUserMessage, definePlugin } from 'svc/sdk'`)
  expect(out).toMatch(/SVCDEP\d{3} {2}MessageReceived -> BeforeUserMessage of svc\/sdk {2}\(index\.ts:1\)/)
  expect(out).toMatch(/README\.md:3 {2}it names MessageReceived, which is BeforeUserMessage now/)
  expect(out).toMatch(/lib\/all\.ts:1 {2}this passes on all names/)
  expect(out).toContain('add --write')
  for (const [file, text] of Object.entries(old)) expect(read(dir, file)).toBe(text)
})

test('a person who agrees gets the files written, and --undo restores them', async () => {
  const [home, dir] = [temporaryFolder(), oldPlugin()]
  const refused = await plugins(home, ['migrate', dir], { interactive: true, answers: ['n'] })
  expect(refused.err).toContain('Nothing was changed.')
  const { out } = await plugins(home, ['migrate', dir], { interactive: true, answers: ['y'] })
  expect(out).toContain('A copy of the files as they were')
  expect(read(dir, 'index.ts')).toContain('ctx.on(BeforeUserMessage,')
  expect(read(dir, 'plugin.json')).toBe(old['plugin.json'].replace('^0.1.0', '^0.2.0'))
  expect(read(dir, 'package.json')).toContain('"svc": "^0.2.0"')
  expect(read(dir, 'node_modules/x/index.js')).toBe(old['node_modules/x/index.js'])
  const again = await plugins(home, ['migrate', dir])
  expect(again.out).toContain('already fits SDK')
  await plugins(home, ['migrate', dir, '--undo'])
  for (const [file, text] of Object.entries(old)) expect(read(dir, file)).toBe(text)
  const { code, err } = await plugins(home, ['migrate', dir, '--undo'])
  expect([code, err]).toEqual([1, expect.stringContaining('no migration')])
})

test('files that were edited after a migration are not overwritten by --undo', async () => {
  const [home, dir] = [temporaryFolder(), oldPlugin()]
  await plugins(home, ['migrate', dir, '--write'])
  writeFolder(dir, { 'index.ts': '// mine\n' })
  const { code, err } = await plugins(home, ['migrate', dir, '--undo'])
  expect(code).toBe(1)
  expect(err).toMatch(/index\.ts changed since the migration; nothing was restored/)
  expect(read(dir, 'index.ts')).toBe('// mine\n')
  expect(read(dir, 'plugin.json')).toContain('^0.2.0')
})

test('a file that cannot be parsed is named and left, the others are written', async () => {
  const dir = oldPlugin()
  writeFolder(dir, { 'broken.ts': `import { Tools } from 'svc/sdk'\nconst = 1\n` })
  const { out } = await plugins(temporaryFolder(), ['migrate', dir, '--write'])
  expect(out).toMatch(/broken\.ts:2 {2}it cannot be read as code/)
  expect(read(dir, 'index.ts')).toContain('BeforeUserMessage')
})

test('programs get the plan as JSON and write only with --write', async () => {
  const [home, dir] = [temporaryFolder(), oldPlugin()]
  const plan = await pluginsJson<Record<string, unknown>>(home, ['migrate', dir])
  expect(plan).toMatchObject({
    changed: ['index.ts', 'plugin.json', 'package.json'],
    renames: [{ old: 'MessageReceived', new: 'BeforeUserMessage', file: 'index.ts', line: 1 }],
    left: expect.arrayContaining([expect.objectContaining({ file: 'lib/all.ts', line: 1 })]),
  })
  expect(plan['copy']).toBeUndefined()
  expect(read(dir, 'index.ts')).toBe(old['index.ts'])
  expect((await pluginsJson<Record<string, unknown>>(home, ['migrate', dir, '--write']))['copy']).toBeTypeOf('string')
})

test('a plugin of svc, and a name without a plugin are refused', async () => {
  const home = temporaryFolder()
  expect((await plugins(home, ['migrate', 'plugin-manager'])).err).toContain('belongs to svc')
  expect((await plugins(home, ['migrate', 'plugin-manger'])).err).toContain('Did you mean plugin-manager?')
})

test('list and info name the old names of an installed plugin, with codes and the command that rewrites them', async () => {
  const home = temporaryFolder()
  writeFolder(join(home, 'plugins', 'acme'), old)
  writePlugin(join(home, 'plugins'), 'fresh')
  const list = await plugins(home, ['list'])
  expect(list.out).toMatch(
    /acme uses 1 old name of the SDK: SVCDEP\d{3} MessageReceived\. To rewrite:\s+svc plugins migrate acme/,
  )
  expect(list.out).not.toContain('fresh uses')
  const rows = await pluginsJson<{ plugins: { name: string; oldNames?: unknown }[] }>(home, ['list', '--all'])
  expect(rows.plugins.filter(({ oldNames }) => oldNames)).toMatchObject([
    { name: 'acme', oldNames: [{ old: 'MessageReceived', new: 'BeforeUserMessage', file: 'index.ts', line: 1 }] },
  ])
  const info = await plugins(home, ['info', 'acme'])
  expect(info.out).toMatch(
    /old names +SVCDEP\d{3} MessageReceived -> BeforeUserMessage of svc\/sdk, removed in 0\.4 \(index\.ts:1\)/,
  )
  expect(await pluginsJson(home, ['info', 'acme'])).toMatchObject({ oldNames: [{ old: 'MessageReceived' }] })
  await plugins(home, ['migrate', 'acme', '--write'])
  expect((await plugins(home, ['list'])).out).not.toContain('old name')
})
