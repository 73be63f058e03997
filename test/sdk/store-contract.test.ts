import { Sessions } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import { storeContract, testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { failingCases } from './failing-cases.ts'

async function openStorage(home: string) {
  const kernel = await testKernel({ home, plugins: ['storage'] })
  return { service: kernel.use(Storage), close: () => kernel.stop() }
}

async function openSessions(home: string) {
  const kernel = await testKernel({ home, plugins: ['sessions'] })
  return { service: kernel.use(Sessions), close: () => kernel.stop() }
}

describe('the plugin storage keeps the contract of stores', () => {
  for (const { name, run } of storeContract({ storage: openStorage })) test(name, run)
})

describe('the plugin sessions keeps the contract of stores', () => {
  for (const { name, run } of storeContract({ sessions: openSessions })) test(name, run)
})

test('a store that forgets at the end of the program is found out', async () => {
  const cases = storeContract({ sessions: async (home) => openSessions(`${home}/${crypto.randomUUID()}`) })
  const failed = Object.keys(await failingCases(cases))
  expect(failed).toContain('a session is there after the end of the program, with all that was recorded')
  expect(failed).not.toContain('sessions do not mix')
})

test('a journal that counts from one after each start is found out', async () => {
  const cases = storeContract({
    sessions: async (home) => {
      const { service, close } = await openSessions(home)
      const open = (id: string) => {
        const session = service.open(id)
        return Object.assign(Object.create(session), {
          events: () => session.events(),
          record: (record: never) => session.record(record).map((event, at) => ({ ...event, seq: at + 1 })),
        })
      }
      return { service: Object.assign(Object.create(service), { open }), close }
    },
  })
  expect(Object.keys(await failingCases(cases))).toContain(
    'places in the journal count up by one, across the end of the program',
  )
})
