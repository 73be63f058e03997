/** Updates that a plugin of the user, another process or the user stops. */
import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { tryFileLock } from '../../../../sdk/kit/process/index.ts'
import { missingTmux, Tmux } from '../../../support/tmux.ts'
import { writePlugin } from '../../configuration/plugin-manager/support.ts'
import { describe, installGlobally, openRegistry, packSmall, smallProgram, svc, version } from './support.ts'

const LIMIT = { timeout: 240_000 }
const words = ['update', '--yes', '--no-backup']
/** Refuses every plugin. */
const strict = (version: string) => `${smallProgram(version)}if (first === 'plugins') process.exit(1)`

async function offer(number: string, program: string) {
  const registry = await openRegistry()
  registry.publishArchive(packSmall(number, program), describe(number))
  return { npm_config_registry: registry.url }
}

test('a version that a plugin of the user does not work with is not taken, and what to do is said', LIMIT, async () => {
  const env = await offer('0.3.0', strict('0.3.0'))
  const at = installGlobally('0.2.0')
  const source = writePlugin(at.place, 'hello')
  expect(await svc(at, ['plugins', 'install', source, '--yes'])).toMatchObject({ code: 0 })
  const said = await svc(at, words, env)
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('svc plugins disable hello') })
  expect(readdirSync(at.versions)).toEqual(['svc-versions.json'])
  expect(await version(at)).toBe('0.2.0')
  expect(await svc(at, ['plugins', 'disable', 'hello', '--yes'])).toMatchObject({ code: 0 })
  expect(await svc(at, words, env)).toMatchObject({ code: 0 })
  expect(await version(at)).toBe('0.3.0')
})

test('a second update does not begin while the first is under way', LIMIT, async () => {
  const env = await offer('0.3.0', smallProgram('0.3.0'))
  const at = installGlobally('0.2.0')
  const { lock } = tryFileLock(`${at.versions}.lock`, { hex: () => 'a1' })
  expect(await svc(at, words, env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Another process is updating'),
  })
  expect(await version(at)).toBe('0.2.0')
  lock?.release()
  expect(await svc(at, words, env)).toMatchObject({ code: 0 })
})

test.skipIf(missingTmux())('at a terminal the user is asked, and "no" changes nothing', LIMIT, async () => {
  const { npm_config_registry } = await offer('0.3.0', smallProgram('0.3.0'))
  const at = installGlobally('0.2.0')
  const env = { PATH: process.env['PATH'] ?? '', HOME: at.place, SVC_HOME: at.home, TERM: 'xterm', npm_config_registry }
  const command = [process.execPath, at.bin, 'update']
  const terminal = new Tmux({ command, columns: 100, rows: 20, cwd: at.place, env })
  onTestFinished(() => terminal.close())
  await terminal.shows(/Update svc 0\.2\.0 to 0\.3\.0/)
  terminal.line('n')
  await terminal.shows(/left with 1/)
  expect(await version(at)).toBe('0.2.0')
})
