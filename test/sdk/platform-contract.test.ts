import { type Platform, Platforms, type SendReceipt } from 'svc/sdk/platform'
import { type FakePlatform, fakePlatform, type PlatformSetup, platformContract, testKernel } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { failingCases } from './failing-cases.ts'

/** The fake platform with Ada in it; `spoil` replaces what is to be wrong. */
async function setup(
  spoil: (sound: Platform, fake: FakePlatform) => Partial<Platform> = () => ({}),
): Promise<PlatformSetup> {
  const fake = fakePlatform({ limits: { maxTextLength: 50 } })
  const kernel = await testKernel({ with: [fake.plugin] })
  const sound = kernel.all(Platforms).get('fake')
  if (!sound) throw new Error('the fake platform is missing')
  const { name, label, limits } = sound
  const platform: Platform = {
    name,
    label,
    limits,
    connect: (link) => sound.connect(link),
    send: (message) => sound.send(message),
    edit: (message) => sound.edit?.(message) ?? Promise.resolve(),
    typing: (chatId) => sound.typing?.(chatId) ?? Promise.resolve(),
    probe: () => sound.probe(),
    close: () => sound.close(),
    ...spoil(sound, fake),
  }
  return {
    platform,
    close: () => kernel.stop(),
    join: () => ({
      chatId: 'ada',
      say: async (text) => void (await fake.say('ada', text).catch(() => undefined)),
      heard: () => fake.sent.filter(({ chatId }) => chatId === 'ada').map(({ text }) => text),
    }),
  }
}

describe('the fake platform keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => setup())) test(name, run)
})

const failing = async (spoil: Parameters<typeof setup>[0]) =>
  Object.keys(await failingCases(platformContract(() => setup(spoil))))

test.for<[string, (sound: Platform) => Partial<Platform>, string]>([
  ['has no limits', (sound) => ({ limits: { ...sound.limits, maxTextLength: 0 } }), 'has names and limits'],
  ['is never connected', () => ({ probe: async () => false }), 'a probe proves the connection'],
  [
    'claims a connection that is closed',
    () => ({ probe: async () => true }),
    'close ends everything, and may be called again',
  ],
  [
    'cuts long texts in silence',
    (sound) => ({ send: (message) => sound.send({ ...message, text: message.text.slice(0, 50) }) }),
    'a text over the limit is refused or arrives whole, never cut in silence',
  ],
  [
    'repeats what it promised to send once',
    (sound) => ({ send: (message) => sound.send({ ...message, key: crypto.randomUUID() }) }),
    'a repeated send with one key makes one message, where it says so',
  ],
  [
    'gives the same receipt for everything',
    (sound) => ({ send: (message) => sound.send(message).then((): SendReceipt => ({ messageId: '1' })) }),
    'delivers what is sent and gives a receipt for each message',
  ],
  [
    'can be connected once only',
    (sound) => {
      let connects = 0
      return { connect: (link) => (connects++ ? Promise.reject(new Error('again?')) : sound.connect(link)) }
    },
    'connects again after it was closed',
  ],
  [
    'goes by names for people',
    (sound) => ({
      connect: (link) =>
        sound.connect({
          ...link,
          signal: link.signal,
          lost: (reason) => link.lost(reason),
          alive: () => link.alive(),
          receive: (message) => link.receive({ ...message, chatId: 'Ada Lovelace' }),
        }),
    }),
    'hands over what people write, once and in order, with ids that stay',
  ],
])('a platform that %s is found out', { timeout: 60_000 }, async ([, spoil, name]) => {
  expect(await failing(spoil)).toContain(name)
})

test('a platform without idempotent sends may repeat them', async () => {
  const spoil = (sound: Platform): Partial<Platform> => ({
    limits: { ...sound.limits, idempotency: 'none' },
    send: (message) => sound.send({ ...message, key: crypto.randomUUID() }),
  })
  expect(await failing(spoil)).toEqual([])
})
