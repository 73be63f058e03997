/** What the gateway keeps on disk of messages, and what it does with it at the next start. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Sessions, type SlashCommand } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { type Platform, Platforms } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { type TestKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { GatewayStore } from '../../../../plugins/messaging/gateway/store.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const never = () => new Promise<void>(() => {})

/** The files of a gateway that has stopped. */
function change(home: string, sql: string, file = 'gateway/gateway.db'): unknown[] {
  const database = new Database(join(home, 'data', file))
  try {
    const statement = database.prepare(sql)
    return statement.reader ? statement.all() : [statement.run()]
  } finally {
    database.close()
  }
}

function getPlatform(kernel: TestKernel): Platform {
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  return platform
}

test('a message that came in survives a power cut before the platform may forget it', async () => {
  const { kernel } = await stage([])
  const asked: unknown[] = []
  const storage = kernel.use(Storage)
  const watched: Storage = {
    open(options) {
      const database = storage.open(options)
      return {
        file: database.file,
        prepare: (sql: string) => database.prepare(sql),
        exec: (sql) => database.exec(sql),
        committed: () => database.committed(),
        synced: () => database.synced(),
        close: () => database.close(),
        transaction: (work, how) => {
          asked.push(how?.sync)
          return database.transaction(work, how)
        },
      } as ReturnType<Storage['open']>
    },
  }
  const store = new GatewayStore(() => watched, join(temporaryFolder(), 'gateway.db'), { clock: virtualClock })
  onTestFinished(async () => void (await store.close()))
  const message = { platform: 'fake', chatId: 'ada', userId: 'ada', messageId: '1', text: 'hi' }
  const row = store.add(message, { trace: 't', talk: 'k', state: 'waiting', at: 1, windowMs: 1 })
  expect(row).toMatchObject({ state: 'waiting', message: { text: 'hi' } })
  expect(asked).toEqual([true])
})

test('the id of a message is known for as long as its platform may repeat it, and no longer', async () => {
  const clock = virtualClock()
  const { fake, gateway, model, kernel } = await stage((_, call) => `answer ${call}`, { clock })
  await fake.say('ada', 'hi')
  await gateway.idle()
  await clock.advance(3_600_000)
  await fake.repeat()
  await gateway.idle()
  expect(model.requests).toHaveLength(1)
  Object.assign(getPlatform(kernel).limits, { duplicateWindowMs: 60_000 })
  await fake.repeat()
  await gateway.idle()
  expect(model.requests).toHaveLength(2)
})

test('words of someone who may not write, and of a chat that is ignored, are neither answered nor kept', async () => {
  const home = temporaryFolder()
  const settings = {
    ...({ allow_all: false, dm_policy: 'allowlist', group_policy: 'allowlist' } as const),
    ignored_chats: ['noise'],
  }
  const { fake, gateway, model, kernel } = await stage(['no'], { home, platform: { settings } })
  await fake.say('eve', 'my secret words')
  await fake.say('ada', 'in the noise', { chatId: 'noise', chatKind: 'group', isMention: true })
  await gateway.idle()
  await kernel.stop()
  expect(model.requests).toHaveLength(0)
  expect(change(home, 'SELECT state, payload FROM inbox ORDER BY number')).toEqual([
    { state: 'refused', payload: null },
    { state: 'ignored', payload: null },
  ])
})

test('what waited for over a month is answered, and what was done is forgotten', async () => {
  const home = temporaryFolder()
  const first = await stage([{ text: 'never', gate: never() }], { home })
  await first.fake.say('ada', 'still there?')
  await vi.waitFor(() => expect(first.model.requests).toHaveLength(1))
  await first.kernel.stop()
  change(home, 'UPDATE inbox SET at = 0')
  change(
    home,
    `INSERT INTO inbox (platform, chat, message, trace, talk, state, at)
      VALUES ('fake', 'bob', 'old', 'x', 'y', 'done', 0)`,
  )
  const second = await stage(['Yes.'], { home })
  await second.gateway.idle()
  expect(second.said()).toEqual(['Yes.'])
  await second.kernel.stop()
  expect(change(home, 'SELECT chat FROM inbox')).toEqual([{ chat: 'ada' }])
})

test('a year of old messages is forgotten a part at a time, the first at the start and the others while it runs', async () => {
  const home = temporaryFolder()
  const first = await stage(['Yes.'], { home })
  await first.kernel.stop()
  const row = "'fake', 'bob', value, 'x' || value, 'y', 'done', 0"
  const numbers = 'WITH RECURSIVE numbers (value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM numbers LIMIT 2000)'
  change(
    home,
    `INSERT INTO inbox (platform, chat, message, trace, talk, state, at) ${numbers} SELECT ${row} FROM numbers`,
  )
  const clock = virtualClock()
  const second = await stage(['Yes.'], { home, clock })
  const left = () => (change(home, 'SELECT count(*) AS count FROM inbox') as { count: number }[])[0]?.count ?? 0
  expect(left()).toBeLessThan(2000)
  expect(left()).toBeGreaterThan(1000)
  for (let minute = 0; minute < 30 && left() > 0; minute++) await clock.advance(60_000)
  expect(left()).toBe(0)
  await second.kernel.stop()
})

test('a message that was begun three times without an end is not begun again, and its writer is told', async () => {
  const home = temporaryFolder()
  const first = await stage([{ text: 'never', gate: never() }], { home })
  await first.fake.say('ada', 'crash me', { threadId: 'topic' })
  await vi.waitFor(() => expect(first.model.requests).toHaveLength(1))
  await first.kernel.stop()
  change(home, "UPDATE inbox SET attempts = 3, key = 'of no turn'")
  const second = await stage(['never said'], { home })
  await second.gateway.idle()
  await vi.waitFor(() => expect(second.said()).toEqual([expect.stringContaining('I could not finish this')]))
  expect(second.fake.sent[0]).toMatchObject({ chatId: 'ada', threadId: 'topic' })
  expect(second.model.requests).toHaveLength(0)
  expect(second.gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('a command that svc stopped during is not run again unasked', async () => {
  const home = temporaryFolder()
  let runs = 0
  const pay: SlashCommand = {
    name: 'pay',
    description: 'Pay',
    category: 'Info',
    surfaces: ['gateway'],
    run: async () => {
      runs++
      await never()
      return undefined
    },
  }
  const first = await stage([], { home, commands: [pay] })
  await first.fake.say('ada', '/pay now')
  await vi.waitFor(() => expect(runs).toBe(1))
  await first.kernel.stop()
  change(home, "UPDATE inbox SET state = 'running'")
  const second = await stage([], { home, commands: [pay] })
  await vi.waitFor(() => expect(second.said().join()).toContain('svc stopped during /pay now'))
  expect(runs).toBe(1)
})

test('an answer that svc did not bring out any more is brought out at the next start, to its thread and once', async () => {
  const home = temporaryFolder()
  const first = await stage(['The answer.'], { home })
  await first.fake.say('ada', 'hi', { threadId: 'topic' })
  await first.gateway.idle()
  await first.kernel.stop()
  const payload = JSON.stringify({
    platform: 'fake',
    chatId: 'ada',
    userId: 'ada',
    messageId: 'in-1',
    threadId: 'topic',
    text: 'hi',
  })
  const cutOff = () => change(home, `UPDATE inbox SET state = 'running', payload = '${payload}'`)
  cutOff()
  const second = await stage([], { home })
  await second.gateway.idle()
  // It is known by its key.
  expect(second.said()).toEqual([])
  await second.kernel.stop()
  cutOff()
  change(home, 'DELETE FROM messages', 'outbox/outbox.db')
  change(home, 'DELETE FROM parts', 'outbox/outbox.db')
  const third = await stage([], { home })
  await third.gateway.idle()
  expect(third.fake.sent).toMatchObject([{ text: 'The answer.', chatId: 'ada', threadId: 'topic' }])
  expect(third.gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
  expect(third.model.requests).toHaveLength(0)
})

test('messages that came together and were cut off together are taken up once', async () => {
  const home = temporaryFolder()
  const script = (_: unknown, call: number) =>
    call === 0 ? { text: 'first', gate: open.gate } : { text: 'never', gate: never() }
  let release = () => {}
  const open = {
    gate: new Promise<void>((resolve) => {
      release = resolve
    }),
  }
  const config = { display: { busy_input_mode: 'queue' } }
  const first = await stage(script as never, { home, config })
  await first.fake.say('ada', 'begin')
  await vi.waitFor(() => expect(first.model.requests).toHaveLength(1))
  await first.fake.say('ada', 'one')
  await first.fake.say('ada', 'two')
  release()
  await vi.waitFor(() => expect(first.model.requests).toHaveLength(2), { timeout: 5000 })
  await first.kernel.stop()
  const second = await stage((_, call) => `taken up ${call}`, { home, config })
  await second.gateway.idle()
  expect(second.model.requests).toHaveLength(1)
  expect(second.said()).toEqual(['taken up 0'])
  expect(second.gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('what a process of an earlier conversation has to say is not said in the one that the chat has now', async () => {
  const home = temporaryFolder()
  const config = { approvals: { destructive_slash_confirm: false } }
  const { fake, gateway, kernel, model } = await stage(['one', 'two'], { config, home })
  await fake.say('ada', 'first')
  await gateway.idle()
  const [{ id: before = '' } = {}] = kernel.use(Sessions).list()
  await fake.say('ada', '/new')
  await gateway.idle()
  await fake.say('ada', 'second')
  await gateway.idle()
  const notice = { processId: 'p', sessionId: before, reason: 'completed', text: 'it ended' } as const
  await kernel.call(ProcessNotified, notice)
  await gateway.idle()
  expect(model.requests).toHaveLength(2)
  await kernel.stop()

  // Nor after a restart, when no conversation of the chat is open yet.
  const again = await stage(['never asked'], { config, home })
  await again.kernel.call(ProcessNotified, notice)
  await again.gateway.idle()
  expect(again.model.requests).toHaveLength(0)
  await again.kernel.stop()
})
