/** Updates that are killed at every step, and that meet a full disk: the version before keeps running. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describe, installGlobally, packSmall, smallProgram } from '../plugins/operations/updates/support.ts'
import { needNamespaces } from '../support/namespaces.ts'
import { startNpmRegistry } from '../support/npm-registry.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { DAY, isToday } from '../support/today.ts'

/** One kill of so many is tried a day. */
const PARTS = 32
const preload = join(root, 'test/faults/kill-at-write.cjs')
const bin = 'prefix/bin/svc'

/** Does not block: the registry answers in this process. */
function svc(
  place: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  around: readonly string[] = [],
) {
  const argv = [...(env['SVC_TEST_BELOW'] ? ['--require', preload] : []), join(place, bin), ...words]
  const [program = '', ...args] = [...around, process.execPath, ...argv]
  const variables = { HOME: place, SVC_HOME: join(place, 'home'), npm_config_cache: join(place, 'npm-cache'), ...env }
  const child = spawn(program, args, { cwd: place, env: { PATH: process.env['PATH'], ...variables } })
  const texts = { out: '', err: '' }
  child.stdout.on('data', (text) => {
    texts.out += text
  })
  child.stderr.on('data', (text) => {
    texts.err += text
  })
  return new Promise<{ code: number | null; signal: string | null; out: string; err: string }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }))
  })
}

async function offer(version: string, filler = '') {
  const registry = await startNpmRegistry()
  onTestFinished(() => registry.close())
  registry.publishArchive(packSmall(version, `${smallProgram(version)}//${filler}\n`), describe(version))
  return { npm_config_registry: registry.url }
}

const words = ['update', '--yes', '--no-backup']
const rollback = ['update', '--rollback', '--yes']

test.for([
  { what: 'an update', words, before: [], from: '0.2.0', to: '0.3.0' },
  { what: 'a rollback', words: rollback, before: words, from: '0.3.0', to: '0.2.0' },
])('$what that is killed at any step leaves the version before or the next one', { timeout: 600_000 }, async (each) => {
  const env = await offer('0.3.0')
  const start = installGlobally('0.2.0').place
  if (each.before.length > 0) expect(await svc(start, each.before, env)).toMatchObject({ code: 0 })
  const copy = () => {
    const place = temporaryFolder()
    cpSync(start, place, { recursive: true, verbatimSymlinks: true })
    return place
  }
  const readVersion = async (place: string) => (await svc(place, ['--version'])).out.trim()
  expect(await readVersion(start)).toBe(each.from)
  const counted = copy()
  const file = join(temporaryFolder(), 'count')
  const below = (place: string) => ({ ...env, SVC_TEST_BELOW: join(place, 'prefix') })
  expect(await svc(counted, each.words, { ...below(counted), SVC_TEST_COUNT: file })).toMatchObject({ code: 0 })
  expect(await readVersion(counted)).toBe(each.to)
  const steps = readFileSync(file, 'utf8').split('\n')
  expect(steps.length).toBeGreaterThanOrEqual(2)
  let killed = 0
  for (let step = 1; step <= steps.length; step++) {
    if (!isToday(step, Math.min(PARTS, steps.length))) continue
    const place = copy()
    const { signal } = await svc(place, each.words, { ...below(place), SVC_TEST_KILL_AT: String(step) })
    if (signal === 'SIGKILL') killed++
    const what = `SVC_FAULTS_DAY=${DAY}, killed before ${step}: ${steps[step - 1]}`
    const found = await readVersion(place)
    expect([each.from, each.to], what).toContain(found)
    if (found === each.from) expect(await svc(place, each.words, env), what).toMatchObject({ code: 0 })
    expect(await readVersion(place), what).toBe(each.to)
  }
  expect(killed).toBeGreaterThan(0)
})

test.runIf(isToday(0, 3))(
  'an update that meets a full disk says so, and the version before runs',
  { timeout: 240_000 },
  async (context) => {
    needNamespaces(context)
    const env = await offer('0.3.0', 'x'.repeat(2_000_000))
    const { place, versions } = installGlobally('0.2.0')
    mkdirSync(versions)
    const small = ['unshare', '-Urm', 'sh', '-c', 'mount -t tmpfs -o size=512k none "$0" && exec "$@"', versions]
    const said = await svc(place, words, env, small)
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('ENOSPC') })
    expect(await svc(place, ['--version'])).toMatchObject({ out: '0.2.0\n' })
    expect(readdirSync(versions)).toEqual([])
    expect(await svc(place, words, env)).toMatchObject({ code: 0 })
    expect(await svc(place, ['--version'])).toMatchObject({ out: '0.3.0\n' })
  },
)
