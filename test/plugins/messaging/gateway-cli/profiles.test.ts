/** One process for the gateways of several profiles; all of it with real ones is in the taint test of the plugin `profiles`. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { takeOrder, writeOrder } from '../../../../plugins/messaging/gateway-cli/order-file.ts'
import { findHolder, takeInstance } from '../../../../plugins/messaging/gateway-cli/single-instance.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const random = { hex: (bytes: number) => 'ab'.repeat(bytes) }

async function open() {
  const home = temporaryFolder()
  for (const name of ['alpha', 'beta']) mkdirSync(join(home, 'profiles', name), { recursive: true })
  const kernel = await testKernel({ plugins: ['gateway-cli'], home })
  onTestFinished(() => kernel.stop())
  return { home, svc: (...words: string[]) => kernel.run(['gateway', ...words]) }
}

test.for(['nope', 'a/b', '..', '', 'alpha,nope', 'alpha,../beta'])('--profiles %j starts nothing', async (names) => {
  const { svc, home } = await open()
  for (const word of ['run', 'start', 'stop', 'restart', 'status'])
    expect((await svc(word, '--profiles', names)).err).toContain('There is no profile')
  expect(existsSync(join(home, 'profiles/alpha/data'))).toBe(false)
})

test('a profile whose gateway runs already is named, and the others are left free', async () => {
  const { svc, home } = await open()
  const lock = (name: string) => join(home, 'profiles', name, 'data/gateway-cli/gateway.lock')
  const { instance } = takeInstance(lock('beta'), random)
  expect((await svc('run', '--profiles', 'alpha,beta')).err).toContain('A gateway of the profile beta runs already')
  expect(findHolder(lock('alpha'))).toBeUndefined()
  instance?.release()
})

test('a process that has several is told by a file, because a signal would reach all of them', () => {
  const file = join(temporaryFolder(), 'gateway.lock')
  const { instance } = takeInstance(file, random, ['alpha', 'beta'])
  expect(findHolder(file)).toMatchObject({ pid: process.pid, isShared: true })
  instance?.note({ pid: 7, identity: 'x' })
  expect(findHolder(file)).toMatchObject({ isShared: true, child: { pid: 7 } })
  instance?.release()
  expect(takeInstance(file, random, ['alpha']).instance).toBeDefined()
  expect(findHolder(file)?.isShared).toBeUndefined()
  const order = join(temporaryFolder(), 'data/gateway.order')
  expect(takeOrder(order)).toBeUndefined()
  writeOrder(order, 'restart')
  expect([takeOrder(order), takeOrder(order)]).toEqual(['restart', undefined])
})

test('status is said by profile', async () => {
  const { svc } = await open()
  const { out, code } = await svc('status', '--profiles', 'all', '--json')
  const stopped = { isRunning: false, state: 'stopped' }
  expect([JSON.parse(out), code]).toEqual([{ profiles: { default: stopped, alpha: stopped, beta: stopped } }, 1])
})
