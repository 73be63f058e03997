/** Choices that are taken by a reaction, and threads that answers begin. */
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('matrix', openStandIn)
const buttons = [
  { value: 'q:once', label: 'Allow once', style: 'primary' as const },
  { value: 'q:always', label: 'Always <allow>' },
  { value: 'q:deny', label: 'Deny', style: 'danger' as const },
]

async function question(group?: string) {
  const stage = await connected()
  const member = stage.fake.member(group === undefined ? {} : { group })
  const { messageId } = await stage.platform.send({ chatId: member.chatId, text: 'Run it?', key: 'k', buttons })
  const received = (count: number) => expect.poll(() => stage.ear.received.length, { timeout: 10_000 }).toBe(count)
  return { ...stage, member, messageId, received }
}

test('each choice has an emoji, which is offered, and a reaction with it takes the choice', async () => {
  const { fake, ear, member, messageId, received } = await question()
  expect(fake.deliveries()[0]?.visible.replaceAll('\u00a0', ' ').trim()).toBe(
    'Run it?\n\n✅ Allow once\n2️⃣ Always <allow>\n❌ Deny',
  )
  await expect.poll(() => fake.reactions?.().map(({ emoji }) => emoji)).toEqual(['✅', '2️⃣', '❌'])
  await member.press?.('Always <allow>')
  await received(1)
  expect(ear.received[0]).toMatchObject({
    press: 'q:always',
    text: 'Always <allow>',
    userId: member.userId,
    quote: { messageId },
  })
})

test('an emoji without its variation selector is the same one; others, and those under other messages, say nothing', async () => {
  const { fake, ear, member, messageId, received } = await question('lab')
  const mine = await member.say('hello')
  await received(1)
  const react = (event_id: string, key: string) =>
    fake.event(member, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id, key } })
  react(messageId, '🎉')
  react(mine, '✅')
  react(messageId, '2\u20e3')
  await received(2)
  expect(ear.received[1]?.press).toBe('q:always')
})

test('what is known of choices is in the event, so a restart forgets none', async () => {
  const { fake, member, close } = await question()
  await close()
  const { ear } = await connected({ fake, cursors: new Map() })
  await member.press?.('Deny')
  await expect.poll(() => ear.received.map(({ press }) => press), { timeout: 10_000 }).toEqual(['q:deny'])
})

test('what addresses the agent in a room of several is answered in a thread, where that is wanted', async () => {
  const story = async (text: string, config: Record<string, unknown>) => {
    const { fake, ear } = await connected({ config })
    const member = fake.member({ group: 'lab' })
    const id = await member.say(text, { mention: true })
    await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(1)
    return ear.received[0]?.threadId === id
  }
  expect(await story('why?', {})).toBe(true)
  expect(await story('!status', {})).toBe(false)
  expect(await story('why?', { auto_thread: false })).toBe(false)
  expect(await story('why?', { free_response_chats: ['!lab:example.org'] })).toBe(false)
})
