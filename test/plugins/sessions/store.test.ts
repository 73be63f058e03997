import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TurnEventBody } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import { sessionsContract } from './contract.ts'
import { assistant, delta, end, here, record, sessionsFixture, start, user, wholeTurn } from './support.ts'

describe('the contract of a session store', () => {
  it.each(sessionsContract)('$name', ({ run }) => {
    run(sessionsFixture().another)
  })
})

describe('finding sessions', () => {
  it('lists those used last first, as many as were asked for', async () => {
    const { store, clock } = sessionsFixture()
    const [first, second, third] = [store.create(here), store.create(here), store.create(here)]
    for (const session of [third, first, second]) {
      await clock.advance(1000)
      wholeTurn(session, 't1', `${session.id} asks`, 'yes')
    }
    expect(store.list().map(({ id }) => id)).toEqual([second.id, first.id, third.id])
    expect(store.list({ limit: 1 }).map(({ id }) => id)).toEqual([second.id])
    expect(store.list()[0]).toMatchObject({ createdAt: clock.now() - 3000, updatedAt: clock.now() })
  })

  it('lists the last hundred unless told otherwise', () => {
    const { store } = sessionsFixture()
    for (let i = 0; i < 120; i++) store.create(here)
    expect(store.list()).toHaveLength(100)
    expect(store.list({ limit: 110 })).toHaveLength(110)
  })

  it('finds another id when a random one is taken, and gives up when all are', () => {
    const { storage, clock, processes, folder } = sessionsFixture()
    const numbers = ['000001', '000001', '000001', '000002']
    const hex = () => numbers.shift() ?? '000001'
    const random = { next: () => 0, uuid: hex, hex }
    const file = join(folder, 'other.db')
    const { store } = { store: sessionsFixtureStore({ storage: () => storage, file, clock, random, processes }) }
    expect(store.create(here).id.slice(-6)).toBe('000001')
    expect(store.create(here).id.slice(-6)).toBe('000002')
    expect(() => store.create(here)).toThrow(expect.objectContaining({ code: 'SESSION_ID_TAKEN' }))
  })
})
