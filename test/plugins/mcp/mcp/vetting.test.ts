/** Packages of servers are looked up among malicious ones before they are run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startOsvServer } from '../../../support/osv-server.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openScene, shellServer } from './scene.ts'

const limit = () => AbortSignal.timeout(60_000)

const record = (id: string, name: string, version: string, ecosystem = 'npm') => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: 'Steals keys.',
  affected: [{ package: { name, ecosystem }, versions: [version] }],
})

/** A folder with programs called `npx` and `uvx` that are a server. */
function runners() {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  const starts = join(folder, 'starts')
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const { command, args } = shellServer(starts)
  for (const name of ['npx', 'uvx'])
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${[command, ...args].map(quote).join(' ')}\n`, { mode: 0o755 })
  const program = (name: 'npx' | 'uvx', ...words: string[]) => ({ command: join(folder, name), args: words })
  return { program, isStarted: () => existsSync(starts) }
}

async function openOsv(...records: Parameters<typeof startOsvServer>[0]) {
  const osv = await startOsvServer(records)
  onTestFinished(() => osv[Symbol.asyncDispose]())
  return osv
}

test('a malicious package is not run, and the message names the advisory', async () => {
  const osv = await openOsv(record('MAL-2026-1', 'evil', '1.0.0'), record('MAL-2026-2', 'bad', '2.0', 'PyPI'))
  const { program, isStarted } = runners()
  const { servers } = await openScene({
    servers: { evil: program('npx', '-y', 'evil@1.0.0'), bad: program('uvx', '--from', 'bad==2.0', 'bad') },
    config: { security_audit: { url: osv.url } },
  })
  await expect(servers().connect('evil', limit())).rejects.toMatchObject({
    code: 'MCP_REFUSED',
    message: expect.stringMatching(/evil@1\.0\.0 is known as malicious \(MAL-2026-1: Steals keys\.\)/),
  })
  await expect(servers().connect('bad', limit())).rejects.toThrow('MAL-2026-2')
  expect(isStarted()).toBe(false)
})

test('a good version is looked up once a day, and a vulnerable one is no malicious one', async () => {
  const osv = await openOsv(record('MAL-2026-1', 'fine', '6.6.6'), record('GHSA-1', 'fine', '1.0.0'))
  const { program } = runners()
  const { servers } = await openScene({
    servers: { fine: program('npx', '-y', 'fine@1.0.0'), loose: program('npx', '-y', 'fine') },
    config: { security_audit: { url: osv.url } },
  })
  for (let time = 0; time < 2; time += 1) {
    await servers().reload(limit())
    expect(servers().list()).toMatchObject([{ state: 'connected' }, { state: 'connected' }])
  }
  expect(osv.batches).toEqual([1])
})

test('a database that does not answer stops no start, and is left alone for a while', async () => {
  const osv = await openOsv(record('MAL-2026-1', 'evil', '1.0.0'))
  osv.faults.push('not JSON')
  const { program } = runners()
  const { servers, kernel } = await openScene({
    servers: { own: program('npx', '-y', 'evil@1.0.0') },
    config: { security_audit: { url: osv.url } },
  })
  await servers().reload(limit())
  expect(servers().get('own')).toMatchObject({ state: 'connected' })
  await servers().reload(limit())
  expect(osv.requests).toHaveLength(1)
  const log = () => readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
  await vi.waitFor(() => expect(log()).toContain('was not looked up among'))
})

test('who skips the checks before a start skips this one, too', async () => {
  const osv = await openOsv(record('MAL-2026-1', 'evil', '1.0.0'))
  const { program } = runners()
  const { servers } = await openScene({
    servers: { own: { ...program('npx', '-y', 'evil@1.0.0'), skip_preflight: true } },
    config: { security_audit: { url: osv.url } },
  })
  expect(await servers().connect('own', limit())).toMatchObject({ state: 'connected' })
  expect(osv.requests).toEqual([])
})
