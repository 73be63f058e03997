import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFilesOverCommands } from 'svc/sdk/kit/environment'
import type { ShellEnvironment } from 'svc/sdk/shell'
import { environmentFilesContract } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'

const mark = () => randomBytes(12).toString('hex')

/** This machine, as an environment that has only commands; `wrap` changes how they are started. */
function machine(
  wrap: (command: readonly string[]) => readonly string[] = (command) => command,
  path = process.env['PATH'] ?? '',
) {
  const environment: Pick<ShellEnvironment, 'launch'> = {
    launch: async ({ command }) => ({ command: wrap(command), environment: { PATH: path }, cwd: '/' }),
  }
  return createFilesOverCommands(environment, { mark })
}

function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-env-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder with the programs of busybox only. */
function busyboxPath(): string {
  const folder = temporary()
  const names = spawnSync('busybox', ['--list'], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
  const program = spawnSync('which', ['busybox'], { encoding: 'utf8' }).stdout.trim()
  for (const name of names) symlinkSync(program, join(folder, name))
  return folder
}

const hasBusybox = spawnSync('busybox', ['true']).status === 0

describe('over the commands of this machine', () => {
  const setup = {
    open: async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-env-')))
      return { files: machine(), folder, close: async () => rmSync(folder, { recursive: true, force: true }) }
    },
  }
  for (const { name, run } of environmentFilesContract(setup)) test(name, run)
})

describe.skipIf(!hasBusybox)('over the commands of busybox', () => {
  const setup = {
    open: async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-env-')))
      return {
        files: machine(undefined, busyboxPath()),
        folder,
        close: async () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  }
  for (const { name, run } of environmentFilesContract(setup)) test(name, run)
})

test('a greeting of the machine, and programs that write beside the script, change nothing', async () => {
  const folder = temporary()
  const files = machine(([, , script = '', ...args]) => ['sh', '-c', `echo Welcome; echo to >&2; ${script}`, ...args])
  await files.write([{ path: `${folder}/a`, bytes: Buffer.from('x') }])
  expect(Buffer.from((await files.read(`${folder}/a`)).bytes).toString()).toBe('x')
})

test('an environment whose program cannot be started is lost, and says why', async () => {
  const files = machine(() => ['/no/such/program'])
  await expect(files.info('/')).rejects.toMatchObject({
    code: 'ENVIRONMENT_LOST',
    message: expect.stringContaining('/no/such/program'),
  })
})

test('what arrives only in part is not written', async () => {
  const folder = temporary()
  writeFileSync(join(folder, 'file'), 'old')
  const files = machine(([shell = '', ...args]) => ['sh', '-c', 'head -c 100000 | "$@"', 'sh', shell, ...args])
  const bytes = Buffer.alloc(200_000, 'x')
  for (const changes of [
    [{ path: `${folder}/file`, bytes }],
    [
      { path: `${folder}/other`, bytes: Buffer.from('small') },
      { path: `${folder}/file`, bytes },
    ],
  ])
    await expect(files.write(changes)).rejects.toMatchObject({ code: 'ENVIRONMENT_LOST' })
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['file'])
})

test('a program that hangs is ended by the signal, with its reason', async () => {
  const reason = new Error('enough')
  const files = machine(() => ['sleep', '300'])
  const work = files.info('/', { signal: AbortSignal.any([AbortSignal.timeout(200)]) })
  await expect(work).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(files.info('/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a full disk and missing rights are said by their codes, and the old content stays', async () => {
  const files = machine()
  // /dev/full takes nothing; a link to it is not followed, so a folder that is a file system of its own is not needed.
  await expect(files.write([{ path: '/proc/svc-none/file', bytes: Buffer.from('x') }])).rejects.toMatchObject({
    code: expect.stringMatching(/ENOENT|EACCES|EROFS/),
  })
})

test('versions differ although a program gives only whole seconds', async () => {
  const folder = temporary()
  const programs = temporary()
  const real = spawnSync('which', ['stat'], { encoding: 'utf8' }).stdout.trim()
  const coarse = `#!/bin/sh\n${real} "$@" | sed -E 's/[.][0-9]{9}/.000000000/g'\n`
  writeFileSync(join(programs, 'stat'), coarse, { mode: 0o755 })
  const files = machine(undefined, `${programs}:${process.env['PATH']}`)
  writeFileSync(join(folder, 'file'), 'one')
  const before = await files.info(join(folder, 'file'))
  writeFileSync(join(folder, 'file'), 'two')
  utimesSync(join(folder, 'file'), 0, 0)
  const after = await files.info(join(folder, 'file'))
  expect(after.version.split(':').at(-1)).not.toBe(before.version.split(':').at(-1))
})
