/** Marks on messages, and what is said to one person only. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Platforms } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const platform = { can: { react: true }, settings: { reactions: true } } as const
const states = (fake: Awaited<ReturnType<typeof stage>>['fake']) =>
  fake.marks.map(({ messageId, state, before }) => [messageId, state, before])

test('a message is marked while it is worked on, and when it is done', async () => {
  const { fake, gateway } = await stage(['hello'], { platform })
  await fake.say('ada', 'hi', { messageId: 'm1' })
  await gateway.idle()
  await vi.waitFor(() =>
    expect(states(fake)).toEqual([
      ['m1', 'working', undefined],
      ['m1', 'done', 'working'],
    ]),
  )
})

test('a turn that fails says so by its mark', async () => {
  const { fake, gateway } = await stage([{ error: { kind: 'auth', message: 'no key' } } as never], { platform })
  await fake.say('ada', 'hi', { messageId: 'm1' })
  await gateway.idle()
  await vi.waitFor(() => expect(states(fake).at(-1)).toEqual(['m1', 'failed', 'working']))
})

test('a message whose turn was stopped keeps no mark', async () => {
  const { fake, gateway } = await stage([{ text: 'x', gate: new Promise<void>(() => {}) }], { platform })
  await fake.say('ada', 'hi', { messageId: 'm1' })
  await vi.waitFor(() => expect(states(fake)).toHaveLength(1))
  await fake.say('ada', '/stop')
  await gateway.idle()
  await vi.waitFor(() => expect(states(fake).at(-1)).toEqual(['m1', undefined, 'working']))
})

test('no marks where they are switched off, and none for commands', async () => {
  const off = await stage(['hello'], { platform: { can: { react: true } } })
  await off.fake.say('ada', 'hi')
  await off.gateway.idle()
  const on = await stage([], { platform })
  await on.fake.say('ada', '/status')
  await on.gateway.idle()
  expect([off.fake.marks, on.fake.marks]).toEqual([[], []])
})

test('a mark that hangs or fails holds up neither the answer nor the end', async () => {
  const clock = virtualClock()
  const { fake, gateway, kernel, said } = await stage(['one', 'two'], { platform, clock })
  const served = kernel.all(Platforms).get('fake')
  const tried = vi.fn(() => new Promise<never>(() => {}))
  Object.assign(served as object, { react: tried })
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said()).toEqual(['one'])
  Object.assign(served as object, { react: () => Promise.reject(new Error('no right to react')) })
  await fake.say('ada', 'hi again')
  await gateway.idle()
  expect(said()).toEqual(['one', 'two'])
  expect(tried).toHaveBeenCalledTimes(1)
})

test('a dead button: the platform is told what to show, and nothing is said in the chat', async () => {
  const { fake, gateway, said } = await stage([], { platform: { limits: { notices: true, buttons: 3 } } })
  const reception = await fake.say('ada', 'Yes', { press: 'old:yes' })
  await gateway.idle()
  expect(reception).toEqual({ outcome: 'gone', notice: 'This question is no longer open.' })
  expect(said()).toEqual([])
})

test('a dead button where the platform shows no notes: it is said in the chat', async () => {
  const { fake, gateway, said } = await stage([])
  expect(await fake.say('ada', 'Yes', { press: 'old:yes' })).toEqual({ outcome: 'gone' })
  await gateway.idle()
  expect(said()).toEqual(['This question is no longer open.'])
})

test('in a group a note for one person is shown to that person alone, and to all only when that fails', async () => {
  const { fake, gateway, kernel, said } = await stage([], { platform: { can: { notify: true } } })
  const group = { chatId: 'team', chatKind: 'group', isMention: true, press: 'old:yes' } as const
  await fake.say('ada', 'Yes', group)
  await gateway.idle()
  expect(fake.notes).toEqual([{ chatId: 'team', userId: 'ada', text: 'This question is no longer open.' }])
  expect(said()).toEqual([])
  const served = kernel.all(Platforms).get('fake')
  Object.assign(served as object, { notify: () => Promise.reject(new Error('user_not_in_channel')) })
  await fake.say('ada', 'Yes', group)
  await vi.waitFor(() => expect(said()).toEqual(['This question is no longer open.']))
})

test('the platform is told what became of each message', async () => {
  const { fake, gateway } = await stage(['a'], { platform: { settings: { ignored_chats: ['spam'] } } })
  const taken = await fake.say('ada', 'hi', { messageId: 'm1' })
  await gateway.idle()
  const again = await fake.say('ada', 'hi', { messageId: 'm1' })
  const ignored = await fake.say('ada', 'hi', { chatId: 'spam', chatKind: 'group' })
  expect([taken.outcome, again.outcome, ignored.outcome]).toEqual(['taken', 'duplicate', 'ignored'])
})

/** A process that ends before its platform has answered the reaction in this state. */
async function endDuring(state: 'working' | 'done', home: string) {
  const first = await stage(['hello'], { platform, home })
  const served = first.kernel.all(Platforms).get('fake') as { react?: unknown }
  const begun = vi.fn()
  served.react = async (mark: { readonly state?: string }) => {
    if (mark.state !== state) return
    begun()
    await new Promise(() => {})
  }
  await first.fake.say('ada', 'hi', { messageId: 'm1', threadId: 't1' })
  await first.gateway.idle()
  await vi.waitFor(() => expect(begun).toHaveBeenCalled())
  await first.kernel.stop()
}

test.each(['working', 'done'] as const)(
  'a process that ended while it set "%s" leaves no message that is worked on for ever',
  async (state) => {
    const home = temporaryFolder()
    await endDuring(state, home)
    const { fake } = await stage([], { platform, home })
    await vi.waitFor(() =>
      expect(fake.marks).toEqual([
        { chatId: 'ada', threadId: 't1', messageId: 'm1', state: 'done', before: 'working' },
      ]),
    )
    // Once is enough.
    const third = await stage([], { platform, home })
    await third.gateway.idle()
    expect(third.fake.marks).toEqual([])
  },
)

test('the turn of a killed process is resumed, and its message is marked as done by the next one', async () => {
  const home = temporaryFolder()
  const first = await stage([{ text: 'x', gate: new Promise<void>(() => {}) }], { platform, home })
  await first.fake.say('ada', 'hi', { messageId: 'm1' })
  await vi.waitFor(() => expect(states(first.fake)).toHaveLength(1))
  await first.kernel.stop()
  const { fake, gateway } = await stage(['hello'], { platform, home })
  await gateway.idle()
  await vi.waitFor(() => expect(states(fake).at(-1)).toEqual(['m1', 'done', 'working']))
})

test('a message that was given up keeps no mark, nor does one that came with a later one', async () => {
  const home = temporaryFolder()
  const first = await stage([{ text: 'x', gate: new Promise<void>(() => {}) }], { platform, home })
  await first.fake.say('ada', 'hi', { messageId: 'm1' })
  await vi.waitFor(() => expect(states(first.fake)).toHaveLength(1))
  await first.kernel.stop()
  const database = new Database(join(home, 'data/gateway/gateway.db'))
  // As if its session had been removed: no turn is found, and it was begun too often.
  database.exec("UPDATE inbox SET attempts = 3; UPDATE talks SET session = 'gone'")
  database.close()
  const { fake, gateway } = await stage([], { platform, home })
  await gateway.idle()
  await vi.waitFor(() => expect(states(fake)).toEqual([['m1', undefined, 'working']]))
})

test('what could not be marked while the connection was lost is marked when it is back', async () => {
  const { fake, gateway, kernel } = await stage([{ text: 'hello', gate: Promise.resolve() }], { platform })
  const served = kernel.all(Platforms).get('fake') as { react?: unknown }
  const { react } = served
  served.react = undefined
  Object.assign(served, {
    react: async (mark: { state?: string }) => {
      if (mark.state === 'working') fake.lose('cable')
    },
  })
  await fake.say('ada', 'hi', { messageId: 'm1' })
  await vi.waitFor(() => expect(fake.connected).toBe(false))
  Object.assign(served, { react })
  await gateway.idle()
  await vi.waitFor(() => expect(states(fake)).toEqual([['m1', 'done', 'working']]))
})
