/** Consent to the code of plugins, through the program as it is built. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../../../support/built.ts'
import { temporaryFolder, writeFolder, writePlugin } from './support.ts'

const command = (says: string) =>
  `setup(ctx) { ctx.add(sdk.CliCommands, { name: 'greet', description: 'd', async run(_input, io) { io.out('${says} ' + ctx.dataDir + '\\n') } }) }`
const manifest = { cli: [{ name: 'greet', description: 'Greets.' }] }

/** A folder as a repository brings it, with a plugin of this name in it. */
function project(says: string): string {
  const dir = temporaryFolder()
  writePlugin(join(dir, '.svc', 'plugins'), 'greeter', manifest, command(says))
  return dir
}

function svc(home: string, cwd: string, ...words: string[]) {
  return runBuilt(words, { home, cwd, env: { SVC_ENABLE_PROJECT_PLUGINS: '1' } })
}

test('consent in one project lets no plugin of that name run in another, and none whose code changed', () => {
  const home = temporaryFolder()
  const [first, second] = [project('one'), project('two')]
  const bare = svc(home, first, 'plugins', 'enable', 'greeter')
  expect(bare).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect(existsSync(join(home, 'config.yaml'))).toBe(false)
  const agreed = svc(home, first, 'plugins', 'enable', 'greeter', '--yes')
  expect(agreed).toMatchObject({ code: 0, err: '' })
  expect(agreed.out).toContain('greeter 1.0.0 (project)')
  expect(agreed.out).toContain(join('.svc', 'plugins', 'greeter'))
  expect(agreed.out).toMatch(/You agreed to its code: .* \(SHA-256 [0-9a-f]{16}\)/)
  const ran = svc(home, first, 'greet')
  expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringContaining('one ') })
  expect(ran.out).toMatch(/[\\/]projects[\\/][0-9a-f]{16}[\\/]greeter\n$/)
  const other = svc(home, second, 'greet')
  expect(other).toMatchObject({ code: 1, out: '', err: expect.stringContaining('svc plugins enable greeter') })
  writePlugin(join(first, '.svc', 'plugins'), 'greeter', manifest, command('changed'))
  const changed = svc(home, first, 'greet')
  expect(changed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('its code changed since you agreed') })
  const again = svc(home, first, 'plugins', 'enable', 'greeter', '--yes')
  expect(again.out).toContain('changed: index.js')
  expect(svc(home, first, 'greet').out).toContain('changed ')
})

test('what the card of a consent prints for programs names origin, path and hash', () => {
  const home = temporaryFolder()
  const dir = project('one')
  expect(svc(home, dir, 'plugins', 'enable', 'greeter', '--json')).toMatchObject({ code: 1, out: '' })
  const { out } = svc(home, dir, 'plugins', 'enable', 'greeter', '--json', '--yes')
  const path = join(dir, '.svc', 'plugins', 'greeter')
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
  expect(JSON.parse(out)).toMatchObject({ agreed: { origin: 'project', path, hash, development: false } })
})

test('a plugin of the home that is named by hand runs, and that is said once', () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'greeter', manifest, command('hi'))
  writeFolder(home, { 'config.yaml': 'plugins:\n  enabled: [greeter]\n' })
  const first = svc(home, home, 'greet')
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('runs for the first time') })
  expect(svc(home, home, 'greet')).toMatchObject({ code: 0, err: '' })
  expect(statSync(join(home, 'consents', 'consents.json')).mode & 0o077).toBe(0)
})

test('trust in changes is said at every start, and holds for that folder only', () => {
  const home = temporaryFolder()
  const [first, second] = [project('one'), project('two')]
  const on = svc(home, first, 'plugins', 'enable', 'greeter', '--trust-changes', '--yes')
  expect(on.out).toContain('Whatever will be in this folder later runs without a question.')
  writePlugin(join(first, '.svc', 'plugins'), 'greeter', manifest, command('new'))
  for (const _ of [1, 2])
    expect(svc(home, first, 'greet')).toMatchObject({ code: 0, err: expect.stringContaining('runs whatever is in') })
  expect(svc(home, second, 'greet')).toMatchObject({ code: 1 })
})

test('a plugin that was removed is agreed to again when it is back', () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'greeter', manifest, command('hi'))
  expect(svc(home, home, 'plugins', 'install', source, '--yes', '--no-verify')).toMatchObject({ code: 0, err: '' })
  expect(svc(home, home, 'greet')).toMatchObject({ code: 0, err: '' })
  svc(home, home, 'plugins', 'remove', 'greeter', '--yes')
  expect(JSON.parse(readFileSync(join(home, 'consents', 'consents.json'), 'utf8')).plugins).toEqual([])
  rmSync(join(home, 'plugins'), { recursive: true, force: true })
  writePlugin(join(home, 'plugins'), 'greeter', manifest, command('hi'))
  expect(svc(home, home, 'plugins', 'enable', 'greeter')).toMatchObject({ code: 1 })
})

test('the card names what a plugin listens to and guards, when its manifest says so', async () => {
  const { abilities } = await import('../../../../plugins/configuration/plugin-manager/plugin-relations.ts')
  const basics = { name: 'a', version: '1.0.0', sdk: '*', kind: 'tool', description: 'x' }
  const more = { hooks: ['tool:calling'], guards: ['approvals'] }
  expect(abilities({ ...basics, ...more })).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/may decide.*tool:calling/),
      expect.stringMatching(/guards.*approvals/),
    ]),
  )
  expect(abilities(basics)).toHaveLength(1)
})
