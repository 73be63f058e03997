import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Random } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { withLock } from '../../../../plugins/configuration/config/lock.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
const file = join(folder, 'lock')
let count = 0
const random: Random = { next: () => 0, hex: () => `token${++count}`, uuid: () => '' }

afterEach(() => removeFolder(folder))

/** Lets time pass until the work is settled. */
async function settled<T>(work: Promise<T>, clock: ReturnType<typeof virtualClock>): Promise<T> {
  let open = true
  const end = work.finally(() => {
    open = false
  })
  end.catch(() => undefined)
  while (open) await clock.advance(100)
  return end
}

function leave(holder: object): void {
  writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname(), token: 'abc', ...holder }))
}

describe('the lock of the configuration', () => {
  it('names its holder while it is held, makes its folder and leaves nothing', async () => {
    const clock = virtualClock()
    const holder = await withLock({ file, clock, random }, async () => JSON.parse(readFileSync(file, 'utf8')))
    expect(holder).toMatchObject({ pid: process.pid, host: hostname() })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is given back when the work fails', async () => {
    const work = withLock({ file, clock: virtualClock(), random }, () => Promise.reject(new Error('no')))
    await expect(work).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })

  it('is held by one at a time', async () => {
    const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
    const clock = { ...virtualClock(), monotonic: () => performance.now(), sleep }
    let inside = 0
    const work = async () => {
      inside++
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      expect(inside--).toBe(1)
    }
    await Promise.all([1, 2, 3].map(() => withLock({ file, clock, random }, work)))
  })

  it('is refused after ten seconds, with who holds it and which file to remove', async () => {
    const clock = virtualClock()
    await withLock({ file, clock, random }, async () => {
      const error = await settled(
        withLock({ file, clock, random }, async () => undefined).catch((cause) => cause),
        clock,
      )
      expect(error).toMatchObject({ code: 'CONFIG_LOCKED', message: expect.stringContaining(`process ${process.pid}`) })
      expect(error.message).toContain(`delete ${file}`)
    })
    expect(clock.monotonic()).toBeGreaterThanOrEqual(10_000)
  })

  it('of another machine counts as held, because its process cannot be asked', async () => {
    await withLock({ file, clock: virtualClock(), random }, async () => undefined)
    leave({ host: 'elsewhere' })
    const clock = virtualClock()
    const error = await settled(
      withLock({ file, clock, random }, async () => undefined).catch((cause) => cause),
      clock,
    )
    expect(error).toMatchObject({ code: 'CONFIG_LOCKED', message: expect.stringContaining('on elsewhere') })
  })
})
