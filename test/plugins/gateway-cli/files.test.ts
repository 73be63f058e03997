import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holderOf, type Instance, takeInstance } from '../../../plugins/gateway-cli/instance.ts'
import { LogFile } from '../../../plugins/gateway-cli/log-file.ts'
import { isBelow, isRunning, markOf } from '../../../plugins/gateway-cli/process-mark.ts'
import { removeFolder } from '../../support/remove-folder.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-gateway-files-'))
  onTestFinished(() => removeFolder(dir))
  return dir
}

/** A process that waits until it is ended. */
async function somebody() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const end = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  return { pid: child.pid ?? 0, end }
}

test('one process holds a home, and leaves nothing when it lets go', () => {
  const file = join(folder(), 'data', 'gateway.lock')
  const first = takeInstance(file)
  expect(first.instance).toBeDefined()
  expect(takeInstance(file)).toMatchObject({ instance: undefined, holder: { pid: process.pid } })
  expect(holderOf(file)).toEqual(markOf(process.pid))
  ;(first.instance as Instance).release()
  expect(existsSync(file)).toBe(false)
  expect(holderOf(file)).toBeUndefined()
})

test('what a dead process held is taken over, and what it watched over is told', async () => {
  const file = join(folder(), 'gateway.lock')
  const [holder, watched] = [await somebody(), await somebody()]
  writeFileSync(file, JSON.stringify({ ...markOf(holder.pid), child: markOf(watched.pid) }))
  expect(takeInstance(file)).toMatchObject({ instance: undefined, holder: { pid: holder.pid } })
  await holder.end()
  const taken = takeInstance(file)
  expect(taken).toMatchObject({ orphan: { pid: watched.pid } })
  expect(holderOf(file)?.pid).toBe(process.pid)
})

test('neither a file of nonsense nor a number that is used again keeps anybody out', () => {
  for (const text of ['', 'nonsense', 'null', JSON.stringify({ pid: process.pid, born: 'long ago' })]) {
    const file = join(folder(), 'gateway.lock')
    writeFileSync(file, text)
    expect(takeInstance(file).instance?.release, text).toBeTypeOf('function')
    expect(holderOf(file), text).toEqual(markOf(process.pid))
  }
})

test('somebody who died while taking over keeps nobody out', async () => {
  const file = join(folder(), 'gateway.lock')
  const [holder, other] = [await somebody(), await somebody()]
  writeFileSync(file, JSON.stringify(markOf(holder.pid)))
  writeFileSync(`${file}.of-${holder.pid}`, JSON.stringify(markOf(other.pid)))
  await holder.end()
  await other.end()
  expect(takeInstance(file)).toMatchObject({ instance: { release: expect.any(Function) } })
  expect(holderOf(file)).toEqual(markOf(process.pid))
})

test('a process is told from a later one with its number, and knows whose descendant it is', async () => {
  const { pid, end } = await somebody()
  const mark = markOf(pid)
  expect([isRunning(mark), isRunning(undefined), isBelow(process.ppid), isBelow(pid)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  await end()
  expect([isRunning(mark), markOf(pid)]).toEqual([false, undefined])
})

test('the log has a moment before each whole line, and old files are put aside, at most three', () => {
  const file = join(folder(), 'logs', 'gateway.log')
  const log = new LogFile(file, () => 0, 100)
  log.write('one\ntw')
  log.write('o\n\nthr')
  expect(readFileSync(file, 'utf8')).toBe('1970-01-01T00:00:00.000Z one\n1970-01-01T00:00:00.000Z two\n')
  for (let count = 0; count < 12; count++) log.write(`line ${count}\n`)
  const files = ['', '.1', '.2', '.3', '.4'].map((end) => existsSync(`${file}${end}`))
  expect(files).toEqual([true, true, true, true, false])
  expect(readFileSync(file, 'utf8').length).toBeLessThanOrEqual(100)
  expect(readFileSync(file, 'utf8')).toContain('line 11\n')
})
