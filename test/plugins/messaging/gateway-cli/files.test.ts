import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { markProcess, ownProcess } from 'svc/sdk/kit/process'
import { expect, onTestFinished, test } from 'vitest'
import { LogFile } from '../../../../plugins/messaging/gateway-cli/log-file.ts'
import { findHolder, type Instance, takeInstance } from '../../../../plugins/messaging/gateway-cli/single-instance.ts'
import { realRandom } from '../../../../program/ports.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

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
  const first = takeInstance(file, realRandom)
  expect(first.instance).toBeDefined()
  expect(takeInstance(file, realRandom)).toMatchObject({ instance: undefined, holder: { pid: process.pid } })
  expect(findHolder(file)).toEqual(ownProcess())
  ;(first.instance as Instance).release()
  expect(existsSync(file)).toBe(false)
  expect(findHolder(file)).toBeUndefined()
})

test('what a dead process held is taken over, and the gateway that it supervised is found', async () => {
  const file = join(folder(), 'gateway.lock')
  const [holder, watched] = [await somebody(), await somebody()]
  const note = { child: markProcess(watched.pid) }
  writeFileSync(file, JSON.stringify({ ...markProcess(holder.pid), host: hostname(), token: 'a', note }))
  expect(takeInstance(file, realRandom)).toMatchObject({ instance: undefined, holder: { pid: holder.pid, ...note } })
  await holder.end()
  const taken = takeInstance(file, realRandom)
  expect(taken).toMatchObject({ orphan: { pid: watched.pid } })
  expect(findHolder(file)?.pid).toBe(process.pid)
})

test('the supervised process is recorded for a later holder', () => {
  const file = join(folder(), 'gateway.lock')
  const { instance } = takeInstance(file, realRandom)
  instance?.note({ pid: 7, identity: 'seven' })
  expect(findHolder(file)).toEqual({ ...ownProcess(), child: { pid: 7, identity: 'seven' } })
  instance?.release()
  expect(existsSync(file)).toBe(false)
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
