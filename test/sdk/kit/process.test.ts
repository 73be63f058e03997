import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type FileLock,
  findLockHolder,
  findProcess,
  isDescendantOf,
  isPidInUse,
  isRunning,
  isSameProcess,
  type LockHolder,
  markProcess,
  ownProcess,
  tryFileLock,
  withFileLock,
} from 'svc/sdk/kit/process'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { realRandom as random } from '../../../program/ports.ts'
import { bundleScript } from '../../plugins/sessions/storage/support.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const isLinux = process.platform === 'linux'

async function startChild() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, end }
}

describe('the identity of a process', () => {
  test('a process is told from a later one with its id', async () => {
    const { pid, end } = await startChild()
    const mark = markProcess(pid)
    if (!mark) throw new Error('the child is not found')
    expect([isRunning(mark), isSameProcess(mark), isPidInUse(pid)]).toEqual([true, true, true])
    const other = { ...mark, identity: `${mark.identity}0` }
    expect([isRunning(other), isSameProcess(other)]).toEqual([false, false])
    await end()
    expect([isRunning(mark), isSameProcess(mark), markProcess(pid)]).toEqual([false, false, undefined])
  })

  test('where an identity is unknown, a lock holds and a signal is not sent', async () => {
    const { pid } = await startChild()
    const mark = { pid, identity: '' }
    expect([isRunning(mark), isSameProcess(mark)]).toEqual([true, false])
  })

  test.runIf(isLinux)(
    'an identity is the boot and the start time, and that of svc 0.1 was the start time alone',
    () => {
      const { pid, identity } = ownProcess()
      const [boot, ticks = ''] = identity.split(':')
      expect(boot).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
      expect(isSameProcess({ pid, identity: ticks })).toBe(true)
      expect(isRunning({ pid, identity: `11111111-2222-3333-4444-555555555555:${ticks}` })).toBe(false)
    },
  )

  test('the parent of a process is known, and so are its descendants', async () => {
    const { pid } = await startChild()
    expect(findProcess(pid)?.parentPid).toBe(process.pid)
    expect([isDescendantOf(process.ppid), isDescendantOf(pid)]).toEqual([true, false])
  })

  test.each([0, -1, 1.5, 2 ** 22 + 1])('%d is not the id of a process', (pid) => {
    expect(findProcess(pid)).toBeUndefined()
  })
})

describe('a file lock', () => {
  const lockFile = () => join(temporaryFolder(), 'data', 'x.lock')
  const namesBeside = (file: string) => readdirSync(join(file, '..'))
  const take = (file: string): FileLock => {
    const { lock } = tryFileLock(file, random)
    if (!lock) throw new Error('the lock is held')
    return lock
  }
  /** Leaves a lock of another process, which may be in an earlier form. */
  const leave = (file: string, holder: object | string, ageMs = 0) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof holder === 'string' ? holder : JSON.stringify(holder))
    const seconds = statSync(file).mtimeMs / 1000 - ageMs / 1000
    utimesSync(file, seconds, seconds)
  }
  const other = (more: Partial<LockHolder>): LockHolder => ({
    ...ownProcess(),
    host: hostname(),
    token: 'abc',
    ...more,
  })

  test('names its holder while it is held, makes its folder, and leaves nothing', () => {
    const file = lockFile()
    const lock = take(file)
    expect(findLockHolder(file)).toMatchObject({ ...ownProcess(), host: hostname() })
    expect(tryFileLock(file, random)).toMatchObject({ lock: undefined, holder: { pid: process.pid } })
    expect(namesBeside(file)).toEqual(['x.lock'])
    lock.release()
    expect(namesBeside(file)).toEqual([])
    expect(findLockHolder(file)).toBeUndefined()
  })

  test('of an ended process is taken over, with what that process noted', async () => {
    const file = lockFile()
    const { pid, end } = await startChild()
    leave(file, other({ ...markProcess(pid), note: { child: 7 } }))
    expect(tryFileLock(file, random)).toMatchObject({ lock: undefined, holder: { pid } })
    await end()
    const lock = take(file)
    expect(lock.previous).toMatchObject({ pid, note: { child: 7 } })
    lock.note('mine')
    expect(findLockHolder(file)?.note).toBe('mine')
    expect(namesBeside(file)).toEqual(['x.lock'])
  })

  test('that was taken over is not removed by its former holder', () => {
    const file = lockFile()
    const lock = take(file)
    writeFileSync(file, JSON.stringify(other({ token: 'later' })))
    lock.release()
    expect(existsSync(file)).toBe(true)
  })

  test('of another machine counts as held, because its process cannot be asked', () => {
    const file = lockFile()
    leave(file, other({ host: 'elsewhere', pid: 2 ** 22 + 1 }))
    expect(tryFileLock(file, random)).toMatchObject({ lock: undefined, holder: { host: 'elsewhere' } })
  })

  test.runIf(isLinux)('in each form of an earlier version is understood', () => {
    const file = lockFile()
    const { pid, identity } = ownProcess()
    const ticks = identity.split(':')[1] ?? ''
    const forms = (id: string) => [
      JSON.stringify({ pid, host: hostname(), token: 'abc', began: id }),
      JSON.stringify({ pid, born: id }),
      `${pid} ${hostname()} ${id} 0123`,
      `${pid}\n${hostname()}\n${id}`,
    ]
    for (const form of [...forms(identity), ...forms(ticks)]) {
      leave(file, form)
      expect(tryFileLock(file, random), form).toMatchObject({ lock: undefined, holder: { pid } })
    }
    for (const form of forms(`1${ticks}`)) {
      leave(file, form)
      take(file).release()
    }
  })

  test.each(['', 'nonsense', 'null', '{"pid":'])(
    'that names no process (%j) is left half a second to be written',
    (text) => {
      const file = lockFile()
      leave(file, text)
      expect(tryFileLock(file, random)).toEqual({ lock: undefined, holder: undefined })
      leave(file, text, 5000)
      take(file).release()
    },
  )

  test('whose take-over was cut off by a crash is taken over at the next attempt', () => {
    const file = lockFile()
    leave(file, other({ pid: 2 ** 22 + 1 }))
    writeFileSync(`${file}.abc.takeover`, JSON.stringify(other({ pid: 2 ** 22 + 2 })))
    expect(tryFileLock(file, random).lock).toBeUndefined()
    take(file).release()
    expect(namesBeside(file)).toEqual([])
  })

  test('is rid of the drafts of killed processes, and of nothing else', () => {
    const file = lockFile()
    leave(file, other({ pid: 2 ** 22 + 1 }))
    for (const name of [`${2 ** 22 + 1}.draft`, `${process.ppid}.draft`, 'draft']) writeFileSync(`${file}.${name}`, '')
    take(file)
    expect(namesBeside(file).sort()).toEqual(['x.lock', `x.lock.${process.ppid}.draft`, 'x.lock.draft'])
  })

  test('is held by one at a time, and is given back when the work fails', async () => {
    const file = lockFile()
    const sleep = () => new Promise<void>((resolve) => void setImmediate(resolve))
    const options = { file, random, clock: { monotonic: () => 0, sleep }, onTimeout: () => new Error('too long') }
    let inside = 0
    const work = async () => {
      inside++
      for (let turn = 0; turn < 20; turn++) await sleep()
      expect(inside--).toBe(1)
      throw new Error('failed')
    }
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => withFileLock(options, work)))
    expect(ends.map((end) => end.status === 'rejected' && end.reason.message)).toEqual(Array(4).fill('failed'))
    expect(namesBeside(file)).toEqual([])
  })

  test('is waited for as long as asked, and then the error names the holder', async () => {
    const file = lockFile()
    const lock = take(file)
    const clock = virtualClock()
    let error: unknown
    const onTimeout = (holder: LockHolder | undefined) => new Error(`held by ${holder?.pid}`)
    void withFileLock({ file, random, clock, waitMs: 3000, onTimeout }, () => 0).catch((cause) => {
      error = cause
    })
    while (error === undefined && clock.monotonic() < 60_000) await clock.advance(100)
    expect(error).toEqual(new Error(`held by ${process.pid}`))
    expect(clock.monotonic()).toBeGreaterThanOrEqual(3000)
    expect(clock.monotonic()).toBeLessThan(4000)
    lock.release()
  })

  test('is taken by one of several processes that find a dead holder at once', async () => {
    const file = lockFile()
    leave(file, other({ pid: 2 ** 22 + 1 }))
    const script = await bundleScript(join(import.meta.dirname, 'lock-child.ts'))
    const children = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, [script, file], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')))
    const say = (child: (typeof children)[number]) => once(child.stdout, 'data').then(([text]) => String(text).trim())
    expect(await Promise.all(children.map(say))).toEqual(Array(4).fill('ready'))
    const results = children.map(say)
    for (const child of children) child.stdin.write('go')
    expect((await Promise.all(results)).sort()).toEqual(['lost', 'lost', 'lost', 'won'])
  })
})
