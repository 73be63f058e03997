/** `svc plugins install`, `update` and `rollback`, killed with SIGKILL before each change that they make in the home. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { pluginFiles, plugins, temporaryFolder, writeFolder } from '../plugins/configuration/plugin-manager/support.ts'
import { root } from '../support/repository.ts'
import { DAY, isToday } from '../support/today.ts'

const LIMIT_MS = 500_000
/** One change of so many is tried a day. */
const PARTS = 20
const yes = ['--yes', '--no-verify']

/** Runs the built program until the kill; returns its exit code, which is `null` after one. */
function run(home: string, words: readonly string[], env: Readonly<Record<string, string>>): number | null {
  const preload = join(import.meta.dirname, 'kill-at-write.cjs')
  const argv = ['--require', preload, join(root, 'dist/kernel/bin.cjs'), 'plugins', ...words]
  const variables = { PATH: process.env['PATH'], SVC_HOME: home, SVC_TEST_BELOW: home, ...env }
  return spawnSync(process.execPath, argv, { cwd: home, env: variables, input: '', timeout: 60_000 }).status
}

/** The changes that are tried today, counted from 1; the first and the last are tried every day. */
function listSteps(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1).filter((at) => at === 1 || at === count || isToday(at, PARTS))
}

/** How many changes the command makes. */
function countChanges(home: string, words: readonly string[]): number {
  const file = join(temporaryFolder(), 'count')
  expect(run(home, words, { SVC_TEST_COUNT: file })).toBe(0)
  return readFileSync(file, 'utf8').split('\n').length
}

function copyHome(home: string): string {
  const copy = temporaryFolder()
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

function readData(home: string): string {
  return readFileSync(join(home, 'data', 'hello', 'notes.txt'), 'utf8')
}

interface Seen {
  readonly version: string
  readonly status: string
}

/** What a process that starts now has; undefined without the plugin. */
async function look(home: string): Promise<Seen | undefined> {
  const { code, out } = await plugins(home, ['info', 'hello', '--json'])
  if (code !== 0) return undefined
  const { manifest, status, dir } = JSON.parse(out) as { manifest: { version: string }; status: string; dir: string }
  // The files are those of the version, all of them.
  expect(readFileSync(join(dir, 'index.js'), 'utf8')).toContain(`// ${manifest.version} end`)
  return { version: manifest.version, status }
}

function writeRelease(folder: string, version: string): void {
  const files = pluginFiles('hello', { version })
  writeFolder(folder, { ...files, 'index.js': `${files['index.js']}// ${version} end\n` })
}

/** A home with version 1.0.0, its data and settings, and a folder with the next version. */
async function prepare(): Promise<{ readonly home: string; readonly source: string }> {
  const [home, source] = [temporaryFolder(), temporaryFolder()]
  writeRelease(source, '1.0.0')
  expect(await plugins(home, ['install', source, ...yes])).toMatchObject({ code: 0 })
  mkdirSync(join(home, 'data', 'hello'), { recursive: true })
  writeFileSync(join(home, 'data', 'hello', 'notes.txt'), 'of 1.0.0')
  const config = readFileSync(join(home, 'config.yaml'), 'utf8')
  writeFileSync(join(home, 'config.yaml'), `${config}  entries:\n    hello: { tone: warm }\n`)
  await plugins(home, ['list'])
  writeRelease(source, '1.1.0')
  return { home, source }
}

test('an update that is killed at any step leaves one version complete, and can be run again', {
  timeout: LIMIT_MS,
}, async () => {
  const { home } = await prepare()
  const words = ['update', 'hello', ...yes]
  const count = countChanges(copyHome(home), words)
  expect(count).toBeGreaterThan(15)
  const versions = new Set<string>()
  for (const at of listSteps(count)) {
    const copy = copyHome(home)
    expect(run(copy, words, { SVC_TEST_KILL_AT: String(at) }), `killed before change ${at} of day ${DAY}`).toBe(null)
    const seen = await look(copy)
    expect(seen, `after change ${at}`).toMatchObject({ status: 'available' })
    versions.add(seen?.version ?? '')
    expect(readData(copy)).toBe('of 1.0.0')
    expect(await plugins(copy, words)).toMatchObject({ code: 0 })
    expect(await look(copy)).toEqual({ version: '1.1.0', status: 'available' })
    writeFileSync(join(copy, 'data', 'hello', 'notes.txt'), 'of 1.1.0')
    expect(await plugins(copy, ['rollback', 'hello', '--yes'])).toMatchObject({ code: 0 })
    expect(await look(copy)).toEqual({ version: '1.0.0', status: 'available' })
    expect(readData(copy)).toBe('of 1.0.0')
  }
  expect([...versions].sort()).toEqual(['1.0.0', '1.1.0'])
})

test('a rollback that is killed at any step leaves one version complete, and is finished by the next command', {
  timeout: LIMIT_MS,
}, async () => {
  const { home } = await prepare()
  expect(await plugins(home, ['update', 'hello', ...yes])).toMatchObject({ code: 0 })
  writeFileSync(join(home, 'data', 'hello', 'notes.txt'), 'of 1.1.0')
  const config = readFileSync(join(home, 'config.yaml'), 'utf8')
  writeFileSync(join(home, 'config.yaml'), config.replace('warm', 'cold'))
  await plugins(home, ['list'])
  const words = ['rollback', 'hello', '--yes']
  const count = countChanges(copyHome(home), words)
  expect(count).toBeGreaterThan(15)
  for (const at of listSteps(count)) {
    const copy = copyHome(home)
    expect(run(copy, words, { SVC_TEST_KILL_AT: String(at) }), `killed before change ${at} of day ${DAY}`).toBe(null)
    const seen = await look(copy)
    expect(seen, `after change ${at}`).toMatchObject({ status: 'available' })
    if (seen?.version === '1.0.0') expect(readData(copy)).toBe('of 1.0.0')
    const { err } = await plugins(copy, words)
    if (err.includes('(PLUGIN_')) expect(err).toContain('PLUGIN_NO_PREVIOUS')
    expect(await look(copy)).toEqual({ version: '1.0.0', status: 'available' })
    expect(readData(copy)).toBe('of 1.0.0')
    expect(readFileSync(join(copy, 'config.yaml'), 'utf8')).toContain('hello: { tone: warm }')
    expect(existsSync(join(copy, 'data', 'plugin-manager', 'version-change.json'))).toBe(false)
  }
})

test.for([
  ['with --purge', ['remove', 'hello', '--purge', '--yes']],
  ['to the trash', ['remove', 'hello', '--yes']],
] as const)(
  'a removal %s that is killed at any step is completed, and can be taken back whole',
  {
    timeout: LIMIT_MS,
  },
  async ([_, words]) => {
    const { home } = await prepare()
    expect(await plugins(home, ['update', 'hello', ...yes])).toMatchObject({ code: 0 })
    writeFileSync(join(home, 'data', 'hello', 'notes.txt'), 'of 1.1.0')
    await plugins(home, ['list'])
    const isPurge = (words as readonly string[]).includes('--purge')
    const count = countChanges(copyHome(home), words)
    expect(count).toBeGreaterThan(10)
    let interrupted = 0
    for (const at of listSteps(count)) {
      const copy = copyHome(home)
      expect(run(copy, words, { SVC_TEST_KILL_AT: String(at) }), `killed before change ${at} of day ${DAY}`).toBe(null)
      const { out } = await plugins(copy, ['list'])
      const isSaid = out.includes(
        'The removal of hello was interrupted. To complete it or take it back: svc plugins recover',
      )
      if (isSaid) interrupted++
      const seen = await look(copy)
      expect(isSaid || seen?.version === '1.1.0' || at === count, `after change ${at}`).toBe(true)
      const recovered = await plugins(copy, ['recover'])
      expect(recovered, `after change ${at}`).toMatchObject({ code: 0 })
      expect(recovered.out).toContain(
        isSaid ? 'The removal of hello was interrupted. That is settled now' : 'Nothing was',
      )
      expect((await plugins(copy, ['list'])).out).not.toContain('interrupted')
      if (isSaid) expect(await look(copy), `recovered after change ${at}`).toBeUndefined()
      if (await look(copy)) expect(await plugins(copy, words)).toMatchObject({ code: 0 })
      expect(existsSync(join(copy, 'data', 'hello')), `data after change ${at}`).toBe(!isPurge)
      expect(readFileSync(join(copy, 'config.yaml'), 'utf8').includes('tone: warm')).toBe(!isPurge)
      expect(existsSync(join(copy, 'plugins', '.versions', 'hello'))).toBe(false)
      const trash = join(copy, 'trash', 'plugins')
      const back = isPurge
        ? ['restore', 'hello', '--yes']
        : ['install', join(trash, readdirSync(trash).sort().at(-1) ?? ''), ...yes]
      expect(await plugins(copy, back), `taken back after change ${at}`).toMatchObject({ code: 0 })
      expect(await plugins(copy, ['enable', 'hello', '--yes'])).toMatchObject({ code: 0 })
      expect(await look(copy)).toEqual({ version: '1.1.0', status: 'available' })
      expect(readData(copy)).toBe('of 1.1.0')
      expect(readFileSync(join(copy, 'config.yaml'), 'utf8')).toMatch(/tone: ['"]?warm/)
    }
    expect(interrupted).toBeGreaterThan(5 / PARTS)
  },
)

test('an interrupted update is said by the list, and settled by one command', async () => {
  const { home } = await prepare()
  const words = ['update', 'hello', ...yes]
  const count = countChanges(copyHome(home), words)
  const killAt = (at: number) => {
    const copy = copyHome(home)
    expect(run(copy, words, { SVC_TEST_KILL_AT: String(at) })).toBe(null)
    return copy
  }
  // The last change of an update deletes what says that it is under way.
  const journal = (copy: string) => join(copy, 'data', 'plugin-manager', 'version-change.json')
  let copy = home
  for (let at = count; !existsSync(journal(copy)); at--) copy = killAt(at)
  const said = 'The update of hello was interrupted. To complete it or take it back: svc plugins recover'
  expect((await plugins(copy, ['list'])).out).toContain(said)
  await using kernel = await testKernel({ home: copy, plugins: ['doctor'] })
  const { out } = await kernel.run(['doctor', '--json'])
  await kernel.stop()
  expect(out).toContain('The update of hello was interrupted.')
  const readList = async () => JSON.parse((await plugins(copy, ['list', '--json'])).out)
  expect(await readList()).toMatchObject({ interrupted: { what: 'update', name: 'hello' } })
  expect(await plugins(copy, ['recover'])).toMatchObject({ code: 0 })
  expect(await readList()).not.toHaveProperty('interrupted')
  expect(await look(copy)).toEqual({ version: '1.1.0', status: 'available' })
})

test('an installation that is killed at any step leaves nothing or a complete plugin', {
  timeout: LIMIT_MS,
}, async () => {
  const source = temporaryFolder()
  writeRelease(source, '1.0.0')
  const words = ['install', source, ...yes]
  const count = countChanges(temporaryFolder(), words)
  for (const at of listSteps(count)) {
    const home = temporaryFolder()
    expect(run(home, words, { SVC_TEST_KILL_AT: String(at) }), `killed before change ${at} of day ${DAY}`).toBe(null)
    const again = await plugins(home, words)
    if (again.code !== 0) expect(again.err).toContain('PLUGIN_NAME_TAKEN')
    expect(await plugins(home, ['enable', 'hello', '--yes'])).toMatchObject({ code: 0 })
    expect(await look(home)).toEqual({ version: '1.0.0', status: 'available' })
  }
})
