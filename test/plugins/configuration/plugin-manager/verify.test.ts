import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { builtPlugins, plugins, readConfig, temporaryFolder, toolCode, writeFolder, writePlugin } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

test('a plugin that lies in its manifest fails, and the case says how', async () => {
  const folder = temporaryFolder()
  writePlugin(folder, 'liar', { contributes: { tools: ['greet', 'wave'] } }, toolCode('greet', 'hi'))
  const { code, out } = await builtPlugins(temporaryFolder(), ['verify', 'liar'], folder)
  expect(code).toBe(1)
  expect(out).toMatch(/^FAILED {2}.*tools "wave" is promised but missing/m)
  expect(out).toMatch(/liar does not keep the contracts of svc: \d+ of \d+ cases failed/)
})

test('code that blocks or ends its process cannot take the command along', async () => {
  const folder = temporaryFolder()
  writePlugin(folder, 'quitter', {}, 'setup() { process.exit(0) }')
  const report = await builtPlugins(temporaryFolder(), ['verify', 'quitter', '--json'], folder)
  expect(report.code).toBe(1)
  expect(JSON.parse(report.out)).toMatchObject({ plugin: 'quitter', ok: false })
})

test('a folder without a plugin is told how to begin one', async () => {
  const { code, err } = await plugins(temporaryFolder(), ['verify'], { cwd: temporaryFolder() })
  expect(code).toBe(1)
  expect(err).toContain('svc plugins new NAME')
})

test('an installation verifies first, and takes nothing in that fails', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const bad = writePlugin(folder, 'liar', { provides: ['coffee'] })
  const refused = await builtPlugins(home, ['install', bad, '--yes'])
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(/liar was not installed\. .*provides "coffee" is promised but missing.*--no-verify/)
  expect(() => readConfig(home)).toThrow()
  const good = writePlugin(folder, 'honest')
  writeFolder(good, { 'README.md': '# honest' })
  const installed = await builtPlugins(home, ['install', good, '--yes', '--json'])
  expect(JSON.parse(installed.out)).toMatchObject({ dir: join(home, 'plugins', 'honest'), enabled: true })
})
