import { describe, expect, it } from 'vitest'
import { notes, storageFixture } from './support.ts'

describe('the storage', () => {
  it('closes what its users left open, and forgets what they closed', async () => {
    const { storage, file, clock } = storageFixture()
    const left = storage.open({ file, migrations: notes })
    const closed = storage.open({ file, migrations: notes })
    await closed.close()
    expect(left.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 0 })
    await storage.close()
    expect(() => left.prepare('SELECT 1').get()).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }))
    expect(clock.pending()).toBe(0)
  })

  it('keeps no timer for a database that could not be opened', () => {
    const { storage, folder, clock } = storageFixture()
    expect(() => storage.open({ file: folder, migrations: notes })).toThrow()
    expect(clock.pending()).toBe(0)
  })
})
