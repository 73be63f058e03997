/** Reactions and notes for one person, on each platform whose service has them. */
import type { MessageReaction, StandInService } from 'svc/sdk/platform'
import { describe, expect, test } from 'vitest'
import { createStages } from '../support/platform-stage.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'

/** Of our own, by what they mean. */
const EMOJI: Readonly<Record<string, readonly [working: string, done: string, failed: string]>> = {
  telegram: ['👀', '👍', '👎'],
  discord: ['👀', '✅', '❌'],
  slack: ['eyes', 'white_check_mark', 'x'],
  matrix: ['👀', '✅', '❌'],
  mattermost: ['eyes', 'white_check_mark', 'x'],
  rocketchat: ['eyes', 'white_check_mark', 'x'],
  signal: ['👀', '✅', '❌'],
  nextcloud: ['👀', '✅', '❌'],
  xmpp: ['👀', '✅', '❌'],
  zulip: ['eyes', 'check', 'cross_mark'],
}
const PRESSED = ['telegram', 'discord', 'slack']

async function talking(name: string) {
  const { fake, platform, ear } = await createStages(name, () => openStandIn(name)).connected()
  const member = fake.member({ group: 'lab' })
  await member.say('hello', { mention: true })
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThan(0)
  const { chatId = '', messageId = '' } = ear.received[0] ?? {}
  const react = (state: MessageReaction['state'], before: MessageReaction['state']) =>
    platform.react?.({ chatId, messageId, state, before })
  return { fake, platform, ear, member, messageId, react }
}

function under(fake: StandInService, messageId: string): readonly string[] {
  const shown = new Set<string>()
  for (const mark of fake.reactions?.() ?? [])
    if (mark.messageId === messageId) mark.isThere ? shown.add(mark.emoji) : shown.delete(mark.emoji)
  return [...shown]
}

test('exactly these platforms have reactions', async () => {
  const able: string[] = []
  for (const name of standInNames) {
    const { platform } = await createStages(name, () => openStandIn(name)).stage()
    if (platform.react) able.push(name)
  }
  expect(able.sort()).toEqual(Object.keys(EMOJI).sort())
})

describe.for(Object.entries(EMOJI))('%s', ([name, [working, done, failed]]) => {
  test('shows one mark at a time, and takes it away', async () => {
    const { fake, messageId, react } = await talking(name)
    await react('working', undefined)
    await expect.poll(() => under(fake, messageId)).toEqual([working])
    await react('done', 'working')
    await expect.poll(() => under(fake, messageId)).toEqual([done])
    await react('failed', 'done')
    await expect.poll(() => under(fake, messageId)).toEqual([failed])
    await react(undefined, 'failed')
    await expect.poll(() => under(fake, messageId)).toEqual([])
  })

  test('a mark that is set twice does no harm', async () => {
    const { fake, messageId, react } = await talking(name)
    await react('working', undefined)
    await Promise.resolve(react('working', undefined)).catch(() => undefined)
    await expect.poll(() => under(fake, messageId)).toEqual([working])
  })
})

test.for(PRESSED)('%s: who presses a dead button is told alone', async (name) => {
  const { fake, platform, ear, member } = await talking(name)
  const { chatId } = member
  const threadId = ear.received[0]?.threadId
  const buttons = [{ value: 'old:1', label: 'Go' }]
  const place = { chatId, ...(threadId && { threadId }) }
  await platform.send({ ...place, text: 'really?', key: 'k1', buttons })
  const before = fake.deliveries().length
  ear.reception = { outcome: 'gone', notice: 'This question is no longer open.' }
  await member.press?.('Go')
  await expect
    .poll(() => fake.notices?.().map(({ text, userId }) => [text, userId]), { timeout: 10_000 })
    .toEqual([['This question is no longer open.', member.userId]])
  expect(fake.deliveries()).toHaveLength(before)
})

test('Slack shows a note to one person of a channel', async () => {
  const { fake, platform, member } = await talking('slack')
  await platform.notify?.({ chatId: member.chatId, userId: member.userId, text: 'only <you> & me' })
  expect(fake.notices?.()).toEqual([{ userId: member.userId, text: 'only &lt;you&gt; &amp; me' }])
  const stranger = platform.notify?.({ chatId: member.chatId, userId: 'U404', text: 'nobody' })
  await expect(stranger).rejects.toThrow('user_not_in_channel')
})
