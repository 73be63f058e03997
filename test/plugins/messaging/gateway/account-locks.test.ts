import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lockPath, takeLock } from '../../../../plugins/messaging/gateway/account-locks.ts'

test('a lock is held by one, and can be had again when it was released', async () => {
  const subject = `test:${crypto.randomUUID()}`
  const first = await takeLock(subject)
  expect(first).toBeDefined()
  expect(await takeLock(subject)).toBeUndefined()
  await first?.release()
  const second = await takeLock(subject)
  expect(second).toBeDefined()
  await second?.release()
})

test('a lock of a process that was killed is free', async () => {
  const subject = `test:${crypto.randomUUID()}`
  const script = "require('node:net').createServer().listen(process.argv[1], () => console.log('held'))"
  const child = spawn(process.execPath, ['-e', script, lockPath(subject)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  expect(await takeLock(subject)).toBeUndefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(existsSync(lockPath(subject))).toBe(true)
  const lock = await takeLock(subject)
  expect(lock).toBeDefined()
  await lock?.release()
})
