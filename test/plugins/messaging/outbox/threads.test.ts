import { deliveryRefused, deliveryThreadGone, Outbox, type PlatformLimits } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openStandIn as openDiscord } from '../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { openStandIn as openSlack } from '../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { openStandIn as openTelegram } from '../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { createStages } from '../../../support/platform-stage.ts'
import { stage } from './stage.ts'

const PATIENCE = { timeout: 10_000 }

test('an answer to a thread that is gone goes to its chat, with all that is left of it', async () => {
  const limits: Partial<PlatformLimits> = { maxTextLength: 120 }
  const { outbox, fake, post, said } = await stage({ platform: { limits } })
  fake.failSends(deliveryThreadGone('TEST', 'the topic was deleted'))
  const text = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ')
  post(text, { threadId: '7' })
  await outbox.idle()
  expect(said().join(' ').split(/\s+/)).toEqual(text.split(' '))
  expect(fake.sent.map(({ threadId }) => threadId)).toEqual(said().map(() => undefined))
})

test('a chat that takes nothing either is asked once more, and no oftener', async () => {
  const { outbox, fake, post, said } = await stage()
  fake.failSends(deliveryThreadGone('TEST', 'no such channel'), deliveryThreadGone('TEST', 'no such channel either'))
  post('lost', { threadId: '7' })
  await outbox.idle()
  expect(said()).toEqual([])
  expect(outbox.deliveries()[0]).toMatchObject({ state: 'failed', attempts: 2, error: 'no such channel either' })
})

test('what is refused for another reason stays out of the chat', async () => {
  const { outbox, fake, post, said } = await stage()
  fake.failSends(deliveryRefused('TEST', 'the bot may not write'))
  post('secret of the thread', { threadId: '7' })
  await outbox.idle()
  expect(said()).toEqual([])
})

test.for([['message thread not found'], ['TOPIC_CLOSED'], ['TOPIC_DELETED']] as const)(
  'Telegram says "%s", and the person reads the answer in the chat',
  async ([words]) => {
    const { fake, kernel, platform } = await createStages('telegram', openTelegram).connected({
      plugins: ['outbox', 'markup'],
    })
    const outbox = kernel.use(Outbox)
    const chatId = fake.member({ group: 'lab' }).chatId
    fake.closeTopic('42', words)
    outbox.serve(platform)
    outbox.post({ platform: 'telegram', chatId, threadId: '42', text: 'here is the answer', key: words })
    await vi.waitFor(() => expect(fake.deliveries()).toMatchObject([{ visible: 'here is the answer' }]), PATIENCE)
    expect(fake.deliveries()[0]).not.toHaveProperty('threadId')
  },
)

test('a locked or deleted thread of Discord is told from a channel that may not be written to', async () => {
  const { fake, kernel, platform } = await createStages('discord', openDiscord).connected({
    plugins: ['outbox', 'markup'],
  })
  const outbox = kernel.use(Outbox)
  const { chatId } = fake.member({ group: 'lab' })
  outbox.serve(platform)
  for (const [code, status] of [
    [10_003, 404],
    [160_005, 400],
    [50_083, 400],
  ] as const) {
    fake.answerNext('POST /channels/7000', { status, body: { message: 'no', code } })
    outbox.post({ platform: 'discord', chatId, threadId: '7000', text: `code ${code}`, key: String(code) })
    await vi.waitFor(
      () => expect(fake.deliveries().at(-1)).toMatchObject({ visible: `code ${code}`, chatId }),
      PATIENCE,
    )
    expect(fake.deliveries().at(-1)).not.toHaveProperty('threadId')
  }
})

test('a locked thread of Slack is told from a channel that is archived', async () => {
  const clock = virtualClock()
  const { fake, kernel, platform } = await createStages('slack', openSlack).connected({
    clock,
    plugins: ['outbox', 'markup'],
  })
  const outbox = kernel.use(Outbox)
  const { chatId } = fake.member({ group: 'lab' })
  outbox.serve(platform)
  const body = { ok: false, error: 'restricted_action_thread_locked' }
  fake.answerNext('chat.postMessage', { body })
  outbox.post({ platform: 'slack', chatId, threadId: '1.2', text: 'still heard', key: 'k' })
  await vi.waitFor(async () => {
    await clock.advance(1000)
    expect(fake.deliveries()).toMatchObject([{ visible: 'still heard', chatId }])
  }, PATIENCE)
  expect(fake.deliveries()[0]).not.toHaveProperty('threadId')
})
