import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../storage/support.ts'
import { here, record, start, wholeTurn } from './support.ts'

describe('the plugin sessions', () => {
  it('makes its file when the first session is made, in its own folder', async () => {
    await using kernel = await testKernel({ plugins: ['sessions'] })
    expect(kernel.problems()).toEqual([])
    const sessions = kernel.use(Sessions)
    const folder = join(kernel.home, 'data', 'sessions')
    expect(existsSync(folder)).toBe(false)
    wholeTurn(sessions.create(here), 't1', 'hi', 'hello')
    expect(existsSync(join(folder, 'sessions.db'))).toBe(true)
  })

  it('may be reloaded in the middle of a turn, which continues with the session it holds', async () => {
    await using kernel = await testKernel({ plugins: ['sessions'] })
    const session = kernel.use(Sessions).create(here)
    record(session, 't1', [start])
    const done = kernel.use(Plugins).pin()
    const reloaded = kernel.use(Plugins).reload('sessions')
    await expect.poll(() => kernel.use(Plugins).info('sessions')?.generation, { timeout: 10_000 }).toBe(2)
    record(session, 't1', [{ type: 'notice', text: 'from the old one' }])
    const opened = kernel.use(Sessions).open(session.id)
    expect(record(opened, 't1', [{ type: 'notice', text: 'from the new one' }])).toMatchObject([{ seq: 3 }])
    expect(session.events()).toEqual(opened.events())
    await done()
    await reloaded
    expect(opened.events()).toHaveLength(3)
  })

  it('continues when the storage below it is reloaded', async () => {
    await using kernel = await testKernel({ plugins: ['sessions'] })
    const session = kernel.use(Sessions).create(here)
    wholeTurn(session, 't1', 'hi', 'hello')
    await kernel.use(Plugins).reload('storage')
    expect(kernel.use(Sessions).open(session.id).messages()).toHaveLength(2)
  })

  it('keeps sessions for the next start', async () => {
    const home = temporaryFolder()
    const first = await testKernel({ plugins: ['sessions'], home })
    wholeTurn(first.use(Sessions).create(here), 't1', 'hi', 'hello')
    await first.stop()
    await using second = await testKernel({ plugins: ['sessions'], home })
    expect(second.use(Sessions).latest()).toMatchObject({ title: 'hi', messageCount: 2 })
  })
})
