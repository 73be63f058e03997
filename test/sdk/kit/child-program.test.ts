/** Programs that are run for a person end with all that they have started. */
import { existsSync, readFileSync } from 'node:fs'
import { type Clock, Secrets } from 'svc/sdk'
import { isPidInUse, runChild } from 'svc/sdk/kit/process'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary.ts'

/** Writes the id of a program that it starts and that holds its output open, then waits for it. */
const START = ['-c', 'sleep 600 & echo $! > started; echo $!; wait']

async function start(signal: AbortSignal, timeoutMs?: number, clock: Clock = virtualClock()) {
  const kernel = await testKernel({ plugins: [] })
  onTestFinished(() => kernel.stop())
  const cwd = temporaryFolder()
  const run = { clock, secrets: kernel.use(Secrets), signal }
  const ended = runChild('sh', START, run, { cwd, ...(timeoutMs !== undefined && { timeoutMs }) })
  const read = () => (existsSync(`${cwd}/started`) ? readFileSync(`${cwd}/started`, 'utf8').trim() : '')
  await expect.poll(read).toMatch(/^\d+$/)
  return { ended, pid: Number(read()) }
}

test.skipIf(process.platform === 'win32')('a program that takes too long is ended with what it started', async () => {
  const clock = virtualClock()
  const { ended, pid } = await start(new AbortController().signal, 1000, clock)
  await clock.advance(1000)
  expect(await ended).toMatchObject({ code: null, out: `${pid}\n`, timedOutAfterMs: 1000 })
  await expect.poll(() => isPidInUse(pid)).toBe(false)
})

test.skipIf(process.platform === 'win32')(
  'a program that a person interrupts is ended with what it started',
  async () => {
    const abort = new AbortController()
    const { ended, pid } = await start(abort.signal)
    abort.abort(new Error('interrupted'))
    await expect(ended).rejects.toThrow('interrupted')
    await expect.poll(() => isPidInUse(pid)).toBe(false)
  },
)
