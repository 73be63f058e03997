/** Updates that a plugin of the user, another process or the user stops. */
import { join } from 'node:path'
import { Clock, Secrets } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type RehearsalDeps, rehearse } from '../../../../plugins/operations/updates/rehearse.ts'
import { tryFileLock } from '../../../../sdk/kit/process/index.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { missingTmux, Tmux } from '../../../support/tmux.ts'
import {
  describe,
  installGlobally,
  openRegistry,
  packSmall,
  smallProgram,
  svc,
  version,
  writeSmall,
} from './support.ts'

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
  const kernel = await testKernel()
  onTestFinished(() => kernel.stop())
  const place = temporaryFolder()
  const [older, newer, stricter] = [smallProgram('0.2.0'), smallProgram('0.3.0'), strict('0.3.0')]
  const lines: string[] = []
  const deps = (current: string): RehearsalDeps => ({
    run: { clock: kernel.use(Clock), secrets: kernel.use(Secrets), signal: new AbortController().signal },
    ...{
      home: kernel.home,
      work: join(place, 'work'),
      currentRoot: writeSmall(join(place, 'current'), '0.2.0', current),
    },
    plugins: new Map([['hello', place]]),
    report: (line) => void lines.push(line),
  })
  const next = (program: string) => writeSmall(join(place, 'next'), '0.3.0', program)
  await expect(rehearse(next(stricter), deps(older))).rejects.toThrow('svc plugins disable hello')
  lines.length = 0
  expect(await rehearse(next(newer), deps(older))).toBe('0.3.0')
  expect(lines).toContain('plugins of yours keep its contracts: hello')
  lines.length = 0
  // What fails with the version in use, too, is no reason to stay.
  expect(await rehearse(next(stricter), deps(strict('0.2.0')))).toBe('0.3.0')
  expect(lines).toContain('hello fails svc plugins verify with both versions')
  expect(lines.join()).not.toContain('keep its contracts')
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
