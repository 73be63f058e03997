import { join } from 'node:path'
import { extensionPoint } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { Consents } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { withProject } from '../../loader/project-plugins.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const manifest = {
  name: 'mine',
  version: '1.0.0',
  sdk: '^0.1.0',
  kind: 'tool',
  description: 'Mine.',
  contributes: { words: ['*'] },
}
const Words = extensionPoint<string>('words', (word) => word)
const schema = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }`
const code = `const config = ${schema}
const setup = (ctx) => ctx.add({ id: 'words', key: (word) => word }, JSON.stringify([ctx.dataDir, ctx.config]))
export default { config, setup: (ctx) => void setup(ctx) }`

function project(config?: string): string {
  const dir = temporaryFolder()
  writeFiles(dir, { '.svc/plugins/mine/plugin.json': manifest, '.svc/plugins/mine/index.js': code })
  if (config) writeFiles(dir, { '.svc/config.yaml': config })
  return dir
}

/** What the plugin of a project sees. */
async function sees(home: string, cwd: string) {
  const env = { SVC_ENABLE_PROJECT_PLUGINS: '1', KEY_OF_USER: 'hunter22' }
  await using kernel = await testKernel({ home, cwd, env })
  const info = kernel.plugins.info('mine') as PluginInfo
  await kernel.use(Consents).agree(info, (await kernel.use(Consents).inspect(info)).hash)
  await kernel.plugins.enable('mine')
  const [dataDir, config] = JSON.parse(kernel.all(Words).all()[0] as string) as [string, unknown]
  return { dataDir, config }
}

test('data and settings of a project plugin belong to its project, and to no other of the same name', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'plugins: { enabled: [mine], entries: { mine: { from: home } } }\n' })
  const [first, second] = [project('plugins: { entries: { mine: { from: first } } }\n'), project()]
  const [one, two] = [await sees(home, first), await sees(home, second)]
  expect(one.config).toEqual({ from: 'first' })
  expect(two.config).toEqual({})
  expect(one.dataDir).not.toBe(two.dataDir)
  for (const { dataDir } of [one, two]) expect(dataDir).toMatch(/[\\/]data[\\/]projects[\\/][0-9a-f]{16}[\\/]mine$/)
  expect((await sees(home, first)).dataDir).toBe(one.dataDir)
})

test('nothing but the entries of its own plugins is read from the file of a project, and no variable is filled in', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'plugins: { enabled: [mine] }\n' })
  const dir = project(
    'approvals: { mode: off }\nplugins: { enabled: [other], entries: { mine: { key: "${KEY_OF_USER}" }, chat: { a: 1 } } }\n',
  )
  expect((await sees(home, dir)).config).toEqual({ key: '${KEY_OF_USER}' })
  await using kernel = await testKernel({ home, cwd: dir, env: { SVC_ENABLE_PROJECT_PLUGINS: '1' } })
  const { Config } = await import('svc/sdk')
  expect(kernel.use(Config).get('approvals')).toBeUndefined()
  expect(kernel.use(Config).get('plugins.enabled')).toEqual(['mine'])
  expect(kernel.use(Config).get('plugins.entries.chat')).toBeUndefined()
})

test('settings that cannot be read leave the plugins of the project out', () => {
  const dir = project('plugins: {')
  const found = { manifest, origin: 'project', dir: join(dir, '.svc', 'plugins', 'mine') } as const
  const builtIn = { manifest, origin: 'built-in', dir: 'x' } as const
  const [mine, other] = withProject([found, builtIn], dir)
  expect(mine?.problem).toContain('its settings cannot be read')
  expect(other).toBe(builtIn)
})
