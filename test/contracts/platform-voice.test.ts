/** Voice messages on every platform that has them: speech goes out as one, once, or as a file, and what people say is marked. */
import { Outbox } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { passTime } from '../support/pass-time.ts'
import { mp3Frames, opus, wav } from '../support/pictures.ts'
import { createStages } from '../support/platform-stage.ts'
import { openStandIn, standInNames } from '../support/stand-ins.ts'

/** Two seconds in each format. */
const SOUNDS = {
  opus: opus(Array.from({ length: 100 }, (_, at) => 20 + at)),
  mp3: mp3Frames(77),
  wav: wav(Array.from({ length: 16_000 }, () => 9)),
} as const
const ENDINGS = { opus: 'ogg', mp3: 'mp3', wav: 'wav' } as const

/** Its stand-in has no private API, which alone sends recordings. Its own test has one. */
const WITHOUT_RECORDINGS = ['bluebubbles']
/** Bring no sound at all, or do not tell a recording from another sound. */
const WITHOUT_VOICE_IN = [
  ...['email', 'googlechat', 'gotify', 'homeassistant', 'irc', 'mattermost', 'nextcloud', 'nostr', 'ntfy', 'pushover'],
  ...['rocketchat', 'sms', 'synology', 'teams', 'twitch', 'viber', 'xmpp', 'zulip'],
]

/** Their services are told how long a voice message is. */
const TOLD_LENGTH = ['dingtalk', 'discord', 'feishu', 'matrix', 'simplex', 'telegram']

async function talking(name: string) {
  // Services sign with the time of this machine.
  const clock = virtualClock(Date.now())
  const { connected } = createStages(name, () => openStandIn(name))
  const { fake, platform, ear, kernel } = await connected({ clock, plugins: ['outbox', 'markup'] })
  const member = fake.member()
  const outbox = kernel.use(Outbox)
  let losses = 0
  const stay = async () => {
    if (ear.losses.length > losses) {
      losses = ear.losses.length
      await platform.connect(ear)
    }
  }
  const speak = async (format: keyof typeof SOUNDS, text = '') => {
    await member.say('hello')
    await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBeGreaterThan(0)
    outbox.serve(platform)
    const file = { name: `voice.${ENDINGS[format]}`, bytes: SOUNDS[format], isVoice: true as const }
    outbox.post({ platform: name, chatId: member.chatId, key: 'k', text, files: [file] })
    await passTime(clock, outbox, stay)
  }
  const heard = () => fake.deliveries().flatMap(({ files }) => files)
  return { fake, platform, ear, member, outbox, speak, heard }
}

describe.for(standInNames)('speech on %s', (name) => {
  test('in a format of its voice messages is one, with the words next to it', async () => {
    const { fake, platform, speak, heard } = await talking(name)
    const [format] = platform.limits.voice ?? []
    if (!format) return
    await speak(format, 'Listen.')
    const [sound, ...others] = heard()
    expect(others).toEqual([])
    expect(Buffer.from(sound?.bytes ?? []).equals(SOUNDS[format])).toBe(true)
    expect(sound?.isVoice === true).toBe(!WITHOUT_RECORDINGS.includes(name))
    if (TOLD_LENGTH.includes(name)) expect(sound?.durationMs).toBeGreaterThan(1980)
    expect(sound?.durationMs ?? 2000).toBeLessThan(2020)
    expect(
      fake
        .deliveries()
        .map(({ visible }) => visible)
        .join('\n'),
    ).toContain('Listen.')
  })

  test('in another format is a file, not nothing', async () => {
    const { platform, speak, heard } = await talking(name)
    const { voice = [], files } = platform.limits
    const other = (['mp3', 'opus', 'wav'] as const).find((each) => !voice.includes(each))
    if (files === undefined || other === undefined) return
    await speak(other)
    expect(heard().map(({ bytes }) => Buffer.from(bytes).equals(SOUNDS[other]))).toEqual([true])
  })

  test('is never doubled and never lost in silence when an attempt goes wrong', async () => {
    const { fake: first, platform } = await talking(name)
    const [format] = platform.limits.voice ?? []
    if (!format) return
    for (const fault of first.sendFaults.filter((each) => each !== 'forbidden')) {
      const { fake, outbox, speak, heard } = await talking(name)
      fake.failSends(fault)
      await speak(format)
      const { uncertain, failed, pending } = outbox.counts()
      expect([pending, failed], fault).toEqual([0, 0])
      expect(heard().length, `${fault}: doubled`).toBeLessThan(2)
      if (uncertain === 0) expect(heard().length, `${fault}: lost`).toBe(1)
    }
  })

  test('of a person is marked as speech', async () => {
    if (WITHOUT_VOICE_IN.includes(name)) return
    const { ear, member, platform } = await talking(name)
    const file = { name: 'voice.ogg', mediaType: 'audio/ogg', bytes: SOUNDS.opus, isVoice: true } as const
    await member.say('', { files: [file] })
    await expect.poll(() => ear.received.flatMap(({ files = [] }) => files), { timeout: 10_000 }).toHaveLength(1)
    const [got] = ear.received.flatMap(({ files = [] }) => files)
    expect(got?.isVoice).toBe(true)
    if (!got) throw new Error('no file came')
    const bytes = await platform.fetch?.(got, { maxBytes: 100_000, signal: new AbortController().signal })
    expect(Buffer.from(bytes ?? []).equals(SOUNDS.opus)).toBe(true)
  })
})
