import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeFile } from '../../../../plugins/providers/credentials/change-file.ts'
import { realClock, realRandom } from '../../../../program/ports.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-auth-'))
const program = join(folder, 'child.cjs')
const host = { clock: realClock, random: realRandom }
let number = 0

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'change-child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    conditions: ['svc-source'],
    logLevel: 'error',
  }),
)
afterAll(() => removeFolder(folder))

function newFile(text?: string): string {
  const file = join(folder, `${number++}`, 'auth.json')
  mkdirSync(join(file, '..'))
  if (text !== undefined) writeFileSync(file, text)
  return file
}

async function adder(
  file: string,
  name: string,
  count: number,
): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const child = spawn(process.execPath, [program, file, name, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

const readPool = (file: string) => Object.keys(JSON.parse(readFileSync(file, 'utf8')).credential_pool)

test('three processes that add keys at once lose nothing of each other', async () => {
  const file = newFile()
  const children = await Promise.all(['one', 'two'].map((name) => adder(file, name, 12)))
  const ends = children.map((child) => once(child, 'exit'))
  for (const child of children) child.stdin.write('go\n')
  for (let at = 0; at < 12; at++)
    await changeFile(file, host, (stored) => {
      stored.credential_pool[`own-${at}`] = []
    })
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
  expect(readPool(file)).toHaveLength(36)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(file, '..'))).toEqual(['auth.json'])
})

test('a process that is killed while it writes leaves a whole file, and the next one continues', async () => {
  const file = newFile()
  const child = await adder(file, 'killed', 10_000)
  const end = once(child, 'exit')
  child.stdin.write('go\n')
  await expect.poll(() => readdirSync(join(file, '..'))).toContain('auth.json')
  child.kill('SIGKILL')
  await end
  const before = readPool(file).length
  await changeFile(file, host, (stored) => {
    stored.credential_pool['after'] = []
  })
  expect(readPool(file)).toHaveLength(before + 1)
})

test('the lock of a process that is gone is taken over, and one that says nothing too', async () => {
  const gone = spawn(process.execPath, ['-e', '0'])
  await once(gone, 'exit')
  for (const holder of [`${gone.pid} ${hostname()} 1 abc`, `${process.pid} ${hostname()} 1 abc`, '']) {
    const file = newFile()
    writeFileSync(`${file}.lock`, holder)
    await changeFile(file, host, () => undefined)
    expect(readdirSync(join(file, '..'))).toEqual([])
  }
})

test.skipIf(process.platform !== 'linux')(
  'the lock of a process of an earlier boot is taken over, that of this one is waited for',
  async () => {
    const file = newFile()
    const mine = await changeFile(file, host, () => JSON.parse(readFileSync(`${file}.lock`, 'utf8')).identity)
    const [boot, ticks] = mine.split(':')
    expect(boot).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
    const left = (identity: string) => writeFileSync(`${file}.lock`, `${process.pid} ${hostname()} ${identity} abc`)
    left(`11111111-2222-3333-4444-555555555555:${ticks}`)
    await changeFile(file, host, () => undefined)
    for (const identity of [mine, ticks ?? '']) {
      left(identity)
      let waited = 0
      const sleep = async () => {
        waited += 1000
      }
      const clock = { monotonic: () => waited, sleep }
      await expect(changeFile(file, { ...host, clock }, () => undefined)).rejects.toMatchObject({
        code: 'CREDENTIALS_LOCKED',
      })
    }
  },
)

test('a lock of another machine is waited for and then named', async () => {
  const file = newFile()
  writeFileSync(`${file}.lock`, '1 elsewhere 1 abc')
  let waited = 0
  const clock = {
    monotonic: () => waited,
    sleep: async () => {
      waited += 1000
    },
  }
  await expect(changeFile(file, { ...host, clock }, () => undefined)).rejects.toMatchObject({
    code: 'CREDENTIALS_LOCKED',
    message: expect.stringContaining(`delete ${file}.lock`),
  })
})

test.for([
  ['text that is no JSON', 'sk-my-key'],
  ['a list', '[]'],
  ['a pool that is none', '{"credential_pool":[]}'],
  ['a later version', '{"version":2}'],
])('%s is never overwritten', async ([, text]) => {
  const file = newFile(text)
  const changed = changeFile(file, host, (stored) => {
    stored.credential_pool['x'] = []
  })
  await expect(changed).rejects.toMatchObject({ code: 'CREDENTIALS_UNREADABLE' })
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(readdirSync(join(file, '..'))).toEqual(['auth.json'])
})

test('keys that svc does not know are kept, in the file and in its entries', async () => {
  const entry = { id: 'a', access_token: 'sk-abcdef', extra: { deep: [1] } }
  const file = newFile(JSON.stringify({ version: 1, providers: { x: 1 }, credential_pool: { openai: [entry, 'odd'] } }))
  await changeFile(file, host, (stored) => {
    stored.credential_pool['groq'] = []
  })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    version: 1,
    providers: { x: 1 },
    credential_pool: { openai: [entry, 'odd'], groq: [] },
  })
})

test('a change that throws leaves the file alone and the lock free', async () => {
  const file = newFile('{"version":1}')
  const changed = changeFile(file, host, (stored) => {
    stored.credential_pool['x'] = []
    throw new Error('no')
  })
  await expect(changed).rejects.toThrow('no')
  expect(readFileSync(file, 'utf8')).toBe('{"version":1}')
  expect(readdirSync(join(file, '..'))).toEqual(['auth.json'])
})

test('a file that is a link is written through', async () => {
  const target = newFile('{"version":1}')
  const link = join(newFile(), '..', 'auth.json')
  symlinkSync(target, link)
  await changeFile(link, host, (stored) => {
    stored.credential_pool['x'] = []
  })
  expect(readPool(target)).toEqual(['x'])
})
