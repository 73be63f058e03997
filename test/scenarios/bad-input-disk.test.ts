/** The disk is full where the journal is. The user is told, and what was there before is still there. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { whyNoSentence } from '../support/scene.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The real program; `kilobytes`: no file may grow beyond that. */
async function svc(home: string, args: readonly string[], kilobytes?: number): Promise<Ran> {
  const limit = kilobytes === undefined ? '' : `ulimit -f ${kilobytes}; trap "" XFSZ; `
  const child = spawn('bash', ['-c', `${limit}exec "$0" "$@"`, process.execPath, bin, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: home },
    cwd: home,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end('sk-0123456789abcdef\n')
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: await out, err: await err }
}

async function prepare(home: string, replies: Parameters<typeof startModelServer>[0]): Promise<ModelServer> {
  const server = await startModelServer(replies)
  onTestFinished(() => server.close())
  writeFileSync(
    join(home, 'config.yaml'),
    `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n`,
  )
  return server
}

/** Anyone who reads it knows what is wrong, where, and what to do. */
function expectFull({ code, err }: Ran, home: string): void {
  expect(code, err).toBe(1)
  expect(err).toMatch(/full|no space|too large/i)
  expect(err).toContain(home)
  expect(err).not.toMatch(/\n\s+at /)
  for (const line of err.trim().split('\n').slice(-1)) expect(whyNoSentence(line)).toBeUndefined()
  // Once is enough.
  expect(err.match(/disk is full/g)?.length ?? 1).toBeLessThanOrEqual(2)
}

test('on a full disk a turn fails with code 1 and advice; earlier conversations can be read, and all works again with room', async ({
  skip,
}) => {
  const home = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m,mode=700', 'none', home], { stdio: 'ignore' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', home]))
  await prepare(home, {
    replies: ({ raw }) => ({ text: raw.includes('much') ? 'words '.repeat(400_000) : 'remembered' }),
  })
  writeFileSync(join(home, 'ballast'), Buffer.alloc(7_500_000))
  expect(await svc(home, ['chat', '-q', 'first question'])).toMatchObject({ code: 0, out: 'remembered\n' })
  expectFull(await svc(home, ['chat', '-q', 'say much']), home)
  // What the turn could not write is gone, so there is room again.
  const { bavail, bsize } = statfsSync(home)
  writeFileSync(join(home, 'more ballast'), Buffer.alloc(bavail * bsize))
  expectFull(await svc(home, ['chat', '-q', 'and now']), home)
  const listed = await svc(home, ['sessions', 'list'])
  expect(listed.out + listed.err).toMatch(/first question|full/)
  for (const name of ['ballast', 'more ballast']) rmSync(join(home, name))
  expect((await svc(home, ['sessions', 'search', 'remembered'])).out).toContain('remembered')
  expect(await svc(home, ['chat', '-q', 'third question'])).toMatchObject({ code: 0, out: 'remembered\n' })
  const all = (await svc(home, ['sessions', 'list'])).out
  expect(all).toContain('first question')
  expect(all).toContain('third question')
}, 60_000)

test('a journal that may not grow: code 1, advice, and the journal is sound afterwards', async () => {
  const home = temporaryFolder()
  await prepare(home, {
    replies: ({ raw }) => ({ text: raw.includes('much') ? 'words '.repeat(400_000) : 'remembered' }),
  })
  expect(await svc(home, ['chat', '-q', 'first question'])).toMatchObject({ code: 0 })
  const failed = await svc(home, ['chat', '-q', 'say much'], 900)
  expect(failed.code, failed.err).toBe(1)
  expect(failed.err).toMatch(/sessions\.db/)
  expect(failed.err).not.toMatch(/\n\s+at |provider .* (fault|contract)/)
  expect((await svc(home, ['sessions', 'search', 'remembered'])).out).toContain('remembered')
  expect(await svc(home, ['chat', '-q', 'again'])).toMatchObject({ code: 0, out: 'remembered\n' })
}, 60_000)

test('settings are not lost when there is no room to write them', async ({ skip }) => {
  const home = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'none', home], { stdio: 'ignore' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', home]))
  const config = 'model:\n  provider: demo # mine\n'
  writeFileSync(join(home, 'config.yaml'), config)
  mkdirSync(join(home, 'ballast'))
  const { bavail, bsize } = statfsSync(home)
  writeFileSync(join(home, 'ballast', 'file'), Buffer.alloc(bavail * bsize))
  for (const args of [
    ['config', 'set', 'model.default', 'x'.repeat(20_000)],
    ['config', 'set', 'CUSTOM_API_KEY', 'sk-0123456789'],
    ['auth', 'add', 'openai'],
  ]) {
    const failed = await svc(home, args)
    expect(failed.code, `${args[0]} ${failed.out}${failed.err}`).not.toBe(0)
    expect(failed.err).not.toMatch(/\n\s+at /)
  }
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(config)
}, 60_000)
