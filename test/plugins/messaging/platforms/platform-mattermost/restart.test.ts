import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-mattermost/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { home, stage } = createStages('mattermost', openStandIn)
const DAY_MS = 86_400_000

describe('a restart of svc on Mattermost', () => {
  test('what was written while svc was away is asked for after a restart, in order, once', async () => {
    const { fake, platform, ear, close, restart } = await home()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await ada.say('before')
    await bob.say('look', { mention: true })
    await platform.send({ chatId: ada.chatId, text: 'answer', key: 'k' })
    await vi.waitFor(() => expect(ear.texts).toEqual(['before', 'look']))
    await close()
    await ada.say('one')
    await bob.say('two', { mention: true })
    await ada.say('three')
    const next = await restart()
    await ada.say('after')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['one', 'two', 'three', 'after']))
    expect(next.ear.received[1]).toMatchObject({ chatKind: 'channel', chatId: bob.chatId, isMention: true })
  })

  test('a post that was not taken before the process ended is taken by the next, with those behind it', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    ear.refuse = 1000
    await ada.say('one')
    await ada.say('two')
    await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
    await close()
    const next = await restart()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['one', 'two']))
  })

  test('who is killed while it catches up continues where it was', async () => {
    const { fake, cursors, close, restart } = await home()
    const ada = fake.member()
    await close()
    for (const text of ['one', 'two', 'three']) await ada.say(text)
    const second = await stage({ fake, cursors })
    second.ear.most = 1
    await second.platform.connect(second.ear)
    await vi.waitFor(() => expect(second.ear.texts).toEqual(['one']))
    await ada.say('four')
    await second.close()
    const third = await restart()
    await vi.waitFor(() => expect(third.ear.texts).toEqual(['two', 'three', 'four']))
  })

  test('a post that was overtaken by a later one, and not told before the end, is asked for', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    fake.disturb('late')
    await ada.say('slow')
    const post = {
      id: 'quick',
      channel_id: ada.chatId,
      user_id: ada.userId,
      message: 'quick',
      create_at: Date.now() + 9,
    }
    fake.sendEvent('posted', { channel_type: 'D', post: JSON.stringify(post) })
    await vi.waitFor(() => expect(ear.texts).toEqual(['quick']))
    await close()
    const next = await restart()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['slow']))
  })

  test('four hundred and fifty posts come in pages, in order', async () => {
    const { fake, close, restart } = await home()
    const ada = fake.member()
    await close()
    const said = Array.from({ length: 450 }, (_, at) => `post ${at}`)
    for (const text of said) await ada.say(text)
    const next = await restart()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(said))
  })

  test('a channel that may not be read any more does not stop the others on Mattermost', async () => {
    const { fake, ear, close, restart } = await home()
    const [gone, well] = [fake.member({ group: 'gone' }), fake.member({ group: 'well' })]
    await gone.say('hi')
    await vi.waitFor(() => expect(ear.texts).toEqual(['hi']))
    await close()
    await gone.say('not to be read')
    await well.say('to be read')
    const refusal = { status: 403, body: { id: 'api.context.permissions.app_error', message: 'No permission.' } }
    fake.answerNext(`GET /channels/${gone.chatId}/posts`, refusal)
    const next = await restart()
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['to be read']))
  })

  test('nothing older than a day is read, nor anything before the first start of Mattermost', async () => {
    const { fake, ear, close, restart } = await home()
    const ada = fake.member()
    await ada.say('before')
    await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
    await close()
    await ada.say('too old')
    const next = await restart({ clock: virtualClock(Date.now() + DAY_MS + 1000) })
    await ada.say('now')
    await vi.waitFor(() => expect(next.ear.texts).toEqual(['now']))
  })

  test('where nothing can be asked for, nothing that came later is taken before it', async () => {
    const { fake, ear } = await home()
    const ada = fake.member()
    await ada.say('first')
    await vi.waitFor(() => expect(ear.texts).toEqual(['first']))
    fake.disturb('silence')
    await ada.say('lost on the way')
    fake.calm()
    fake.answerNext('GET /users/me/channels', { status: 500 })
    await ada.say('last')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    expect(ear.texts).toEqual(['first'])
  })

  test('a place in an account that cannot be read is no reason not to begin on Mattermost', async () => {
    const { fake, cursors, close, restart } = await home()
    await close()
    const [account = ''] = cursors.keys()
    for (const broken of ['', '{"since":', '{"since":"7"}', '[]']) {
      cursors.set(account, broken)
      const { ear, close: end } = await restart()
      await fake.member().say('hi')
      await vi.waitFor(() => expect(ear.texts).toEqual(['hi']))
      await end()
    }
  })
})
