import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { Scope } from '../../kernel/scope.ts'

const LIMIT_MS = 500

function ignore(): void {}

test('what was registered last is undone first', async () => {
  const scope = new Scope()
  const gone: string[] = []
  for (const name of ['database', 'server', 'client']) scope.defer(() => void gone.push(name))
  expect(scope.size).toBe(3)
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  expect(gone).toEqual(['client', 'server', 'database'])
  expect(scope.size).toBe(0)
})

test('one disposer is waited for before the next begins', async () => {
  const scope = new Scope()
  const clock = virtualClock()
  const log: string[] = []
  scope.defer(() => void log.push('connection closed'))
  scope.defer(async () => {
    log.push('flushing')
    await clock.sleep(100)
    log.push('flushed')
  })
  const closing = scope.close(clock, () => LIMIT_MS, ignore)
  await clock.advance(100)
  await closing
  expect(log).toEqual(['flushing', 'flushed', 'connection closed'])
})

test('a disposer that was called early is not called again', async () => {
  const scope = new Scope()
  const disposer = vi.fn()
  const early = scope.defer(disposer)
  await early()
  await early()
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  expect(disposer).toHaveBeenCalledTimes(1)
})

test('closing twice runs nothing twice', async () => {
  const scope = new Scope()
  const disposer = vi.fn()
  scope.defer(disposer)
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  expect(disposer).toHaveBeenCalledTimes(1)
})

test('the signal aborts before the first disposer runs, so that loops see the end', async () => {
  const scope = new Scope()
  const seen: boolean[] = []
  scope.defer(() => void seen.push(scope.signal.aborted))
  expect(scope.signal.aborted).toBe(false)
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  expect(seen).toEqual([true])
})

test('a disposer that fails is reported and the others run all the same', async () => {
  const scope = new Scope()
  const gone: string[] = []
  const errors: unknown[] = []
  scope.defer(() => void gone.push('first'))
  scope.defer(() => {
    throw new Error('stuck')
  })
  scope.defer(() => Promise.reject(new Error('lost')))
  await scope.close(
    virtualClock(),
    () => LIMIT_MS,
    (error) => errors.push(error),
  )
  expect(gone).toEqual(['first'])
  expect(errors).toMatchObject([{ message: 'lost' }, { message: 'stuck' }])
})

test('a disposer that hangs is given up after the limit, and the others run', async () => {
  const scope = new Scope()
  const clock = virtualClock()
  const errors: unknown[] = []
  const last = vi.fn()
  scope.defer(last)
  scope.defer(() => new Promise(() => {}))
  const closing = scope.close(
    clock,
    () => LIMIT_MS,
    (error) => errors.push(error),
  )
  await clock.advance(LIMIT_MS)
  await closing
  expect(last).toHaveBeenCalledOnce()
  expect(errors).toMatchObject([{ code: 'PLUGIN_TIMEOUT' }])
})

test('what is registered after the end is undone at once', async () => {
  const scope = new Scope()
  await scope.close(virtualClock(), () => LIMIT_MS, ignore)
  const late = vi.fn()
  const disposer = scope.defer(late)
  expect(late).toHaveBeenCalledTimes(1)
  await disposer()
  expect(late).toHaveBeenCalledTimes(1)
})
