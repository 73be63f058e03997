/** Marks on messages, and what is said to one person only. */
import { Platforms } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
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
