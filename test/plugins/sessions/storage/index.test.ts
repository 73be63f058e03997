import { join } from 'node:path'
import { Plugins } from 'svc/sdk/host'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { notes } from './support.ts'

describe('the plugin storage', () => {
  it('opens no file by itself, and closes all when it is unloaded', async () => {
    const clock = virtualClock(Date.now())
    await using kernel = await testKernel({ plugins: ['storage'], clock })
    expect(kernel.problems()).toEqual([])
    const file = join(kernel.home, 'notes.db')
    const database = kernel.use(Storage).open({ file, migrations: notes })
    expect(clock.pending()).toBeGreaterThan(0)
    await kernel.use(Plugins).disable('storage')
    expect(() => database.prepare('SELECT 1').get()).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }))
    expect(clock.pending()).toBe(0)
  })

  it('may be reloaded: the next database is opened by the new one', async () => {
    await using kernel = await testKernel({ plugins: ['storage'] })
    const file = join(kernel.home, 'notes.db')
    kernel.use(Storage).open({ file, migrations: notes }).exec("INSERT INTO notes (text) VALUES ('milk')")
    await kernel.use(Plugins).reload('storage')
    const database = kernel.use(Storage).open({ file, migrations: notes })
    expect(database.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'milk' }])
  })
})
