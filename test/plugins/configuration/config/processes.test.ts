import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { parse as parseEnv } from 'dotenv'
import { build } from 'esbuild'
import fc from 'fast-check'
import { ConfigFile } from 'svc/sdk/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openRadio } from '../../../support/radio.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
const program = join(folder, 'child.cjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'write-child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['svc-source'],
    logLevel: 'error',
  })
})
afterAll(() => removeFolder(folder))

type Child = ChildProcessByStdio<Writable, Readable, null>

/** A process that waits for a line on its standard input before it writes. */
async function writer(home: string, name: string, count: number): Promise<Child> {
  const child = spawn(process.execPath, [program, home, name, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

describe('several processes that write at once', () => {
  it('lose nothing of each other, in either file and in the journal', async () => {
    await using radio = await openRadio({ yaml: '# mine\n', env: '# keys\n' })
    const children = await Promise.all(['one', 'two'].map((name) => writer(radio.home, name, 15)))
    const ends = children.map((child) => once(child, 'exit'))
    for (const child of children) child.stdin.write('go\n')
    const own = radio.kernel.use(ConfigFile)
    for (let at = 0; at < 10; at++)
      await own.write([{ path: `own.k${at}`, value: at }], { author: 'test', reason: 'own' })
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
    const values = parse(radio.yaml() ?? '')
    expect(Object.keys(values.one).length + Object.keys(values.two).length + Object.keys(values.own).length).toBe(40)
    expect(Object.keys(parseEnv(radio.env() ?? '')).length).toBe(30)
    expect(radio.yaml()).toMatch(/^# mine\n/)
    expect(readdirSync(join(radio.home, 'data', 'changes')).length).toBe(30)
    expect(readdirSync(radio.home).filter((name) => /lock|tmp/.test(name))).toEqual([])
  })

  it('leave the old or the new file when they are killed at any moment, and the next one continues', {
    timeout: 60_000,
  }, async () => {
    await using radio = await openRadio({ yaml: '# mine\n', env: '# keys\n' })
    await fc.assert(
      fc.asyncProperty(fc.nat(6), fc.nat(300), async (lines, turns) => {
        const child = await writer(radio.home, 'victim', 1000)
        const end = once(child, 'exit')
        child.stdin.write('go\n')
        for (let line = 0; line <= lines; line++) await once(child.stdout, 'data')
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        child.kill('SIGKILL')
        await end
        expect(radio.yaml()).toMatch(/^# mine\n(config_version: \d+\n)?victim:\n( {2}k\d+: \d+\n)+$/)
        expect(radio.env()).toMatch(/^# keys\n(VICTIM_\d+_TOKEN='secret \d+'\n)+$/)
        const { code, err } = await radio.svc('unset victim')
        // A run that takes long follows the file, and names the key that no plugin reads.
        const said = err.replace(/^svc: config\.yaml: victim: unknown setting.*\n/, '')
        expect({ code, said }).toEqual({ code: 0, said: '' })
        expect(readdirSync(radio.home).filter((name) => /lock/.test(name))).toEqual([])
        radio.writeYaml('# mine\n')
        rmSync(join(radio.home, '.env'))
        writeFileSync(join(radio.home, '.env'), '# keys\n')
      }),
      { numRuns: 8 },
    )
  })
})

describe('a lock that was left behind', () => {
  const gone = async () => {
    const child = spawn(process.execPath, ['-e', '0'])
    await once(child, 'exit')
    return child.pid as number
  }

  it('is taken over when its process is gone, with what that process left', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    const lock = join(radio.home, '.config.svc-lock')
    writeFileSync(lock, JSON.stringify({ pid: await gone(), host: hostname(), token: 'abc' }))
    writeFileSync(join(radio.home, '.config.yaml.svc-tmp'), 'half a fi')
    expect((await radio.svc('set a 2')).code).toBe(0)
    expect(radio.yaml()).toBe('a: 2\n')
    expect(readdirSync(radio.home).filter((name) => /lock|tmp/.test(name))).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')('is taken over when its number belongs to a younger process', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    const holder = { pid: process.pid, host: hostname(), token: 'abc', began: '1' }
    writeFileSync(join(radio.home, '.config.svc-lock'), JSON.stringify(holder))
    const { code } = await radio.svc('set a 2')
    expect(code).toBe(0)
  })

  it('is taken over when it stays empty', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    writeFileSync(join(radio.home, '.config.svc-lock'), '')
    expect((await radio.svc('set a 2')).code).toBe(0)
  })
})

describe('a write that cannot be made', () => {
  it('leaves the old file intact and says what to do', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n' })
    mkdirSync(join(radio.home, '.config.yaml.svc-tmp', 'in-the-way'), { recursive: true })
    const { code, err } = await radio.svc('set a 2')
    expect(code).toBe(1)
    expect(err).toMatch(/config\.yaml could not be written\..*The old file is intact.*CONFIG_WRITE_FAILED/)
    expect(radio.yaml()).toBe('a: 1\n')
    expect((await radio.svc('undo --list')).out).toBe('No changes yet.\n')
  })

  it('takes the secret out of .env again when config.yaml cannot refer to it', async () => {
    await using radio = await openRadio({ yaml: 'a: 1\n', env: 'A=1\n' })
    mkdirSync(join(radio.home, '.config.yaml.svc-tmp', 'in-the-way'), { recursive: true })
    expect((await radio.svc('set plugins.entries.radio.licence x')).code).toBe(1)
    expect(radio.env()).toBe('A=1\n')
    expect(radio.yaml()).toBe('a: 1\n')
  })

  it('never replaces what is no file', async () => {
    await using radio = await openRadio()
    mkdirSync(join(radio.home, '.env'))
    expect((await radio.svc('set A_TOKEN 2')).err).toContain('CONFIG_UNREADABLE')
    expect(statSync(join(radio.home, '.env')).isDirectory()).toBe(true)
  })

  it('never overwrites bytes that are not UTF-8', async () => {
    await using radio = await openRadio()
    const file = join(radio.home, 'config.yaml')
    writeFileSync(file, Buffer.from('a: caf\xe9\n', 'latin1'))
    expect((await radio.svc('set a 2')).err).toMatch(/is not UTF-8 text.*CONFIG_UNREADABLE/)
    expect(readFileSync(file, 'latin1')).toBe('a: caf\xe9\n')
  })
})
