/** What a person reads before a plugin takes the place of something, and where to look for it afterwards. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plugins, pluginsJson, temporaryFolder, writePlugin } from './support.ts'

const manifest = { replaces: { tools: ['read_file', 'write_file'] }, wraps: ['web-search'] }
const REPLACES = 'replaces tools of other plugins, so that its code runs instead: read_file, write_file'
const WRAPS = 'stands between other plugins and services, and sees and may change what passes: web-search'

test('before an installation the person reads which tools are replaced and which services are wrapped', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'careful', manifest)
  const declined = await plugins(home, ['install', source, '--no-verify'], { answers: ['n'], interactive: true })
  expect(declined.out).toContain(REPLACES)
  expect(declined.out).toContain(WRAPS)
  expect(declined.code).toBe(1)
})

test('the same is said when a plugin is enabled, in its info, and in that of the plugin whose tool it is', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'careful', manifest)
  const enabled = await plugins(home, ['enable', 'careful', '--yes'])
  expect(enabled.out).toContain(REPLACES)
  expect(enabled.out).toContain(WRAPS)
  expect((await plugins(home, ['info', 'careful'])).out).toMatch(
    /replaces +tools: read_file, write_file\nwraps +web-search/,
  )
  expect((await plugins(home, ['info', 'tool-files'])).out).toMatch(
    /replaced by +careful \(tools: read_file\)\n +careful \(tools: write_file\)/,
  )
  expect(await pluginsJson(home, ['info', 'careful'])).toMatchObject({
    manifest: { replaces: manifest.replaces, wraps: manifest.wraps },
  })
})
