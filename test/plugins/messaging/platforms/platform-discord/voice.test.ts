/** Voice messages of Discord, as discord.com/developers/docs/resources/message has them. */
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { mp3Frames, opus } from '../../../../support/pictures.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('discord', openStandIn)

const sound = opus([...Array.from({ length: 50 }, () => 20), ...Array.from({ length: 50 }, () => 200)])
const voice = { mediaType: 'audio/ogg', isVoice: true } as const
const speech = outboundFile('answer.opus', sound, voice)

async function speaking() {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const forms = () => fake.requests.filter(({ call }) => call.startsWith('POST /channels/')).map(({ body }) => body)
  const payloads = () => forms().map((body) => JSON.parse(/\r\n\r\n(\{.*\})\r\n/.exec(body)?.[1] ?? '{}') as object)
  return { fake, platform, payloads, message: { chatId, text: '', key: 'k', files: [speech] } }
}

test('speech is sent alone, with its length in seconds and its waveform', async () => {
  const { fake, platform, message, payloads } = await speaking()
  await platform.send({ ...message, replyTo: '5' })
  expect(fake.deliveries()).toMatchObject([{ files: [{ name: 'voice-message.ogg', isVoice: true }] }])
  expect(new Uint8Array(fake.deliveries()[0]?.files[0]?.bytes ?? [])).toEqual(new Uint8Array(sound))
  const [payload] = payloads()
  expect(payload).not.toHaveProperty('content')
  expect(payload).toMatchObject({ flags: 8196, message_reference: { message_id: '5' } })
  const [about] = (payload as { attachments: { duration_secs: number; waveform: string }[] }).attachments
  expect(about).toMatchObject({ id: 0, filename: 'voice-message.ogg', duration_secs: 2 })
  const points = [...Buffer.from(about?.waveform ?? '', 'base64')]
  expect(points).toEqual([...Array.from({ length: 10 }, () => 26), ...Array.from({ length: 10 }, () => 255)])
})

describe('is a file among others', () => {
  test.for([
    ['speech with words', { text: 'listen' }],
    ['speech with a button', { buttons: [{ value: 'a', label: 'A' }], text: 'listen' }],
    ['MP3', { files: [outboundFile('answer.mp3', mp3Frames(10), { ...voice, mediaType: 'audio/mpeg' })] }],
    ['speech that is cut off', { files: [outboundFile('answer.ogg', sound.subarray(0, 500), voice)] }],
    ['music', { files: [outboundFile('song.ogg', sound, { mediaType: 'audio/ogg' })] }],
  ] as const)('%s', async ([, more]) => {
    const { fake, platform, message } = await speaking()
    await platform.send({ ...message, ...more })
    const [delivery] = fake.deliveries()
    expect(delivery?.files).toHaveLength(1)
    expect(delivery?.files[0]?.isVoice).toBeUndefined()
    expect(delivery?.files[0]?.name).toMatch(/^(answer|song)\./)
  })

  test.for([50173, 50161])('speech that a channel refuses as a voice message (%s)', async (code) => {
    const { fake, platform, message } = await speaking()
    fake.answerNext('POST /channels/', { status: 403, body: { message: 'no voice messages', code } })
    await platform.send(message)
    expect(fake.deliveries()).toMatchObject([{ files: [{ name: 'answer.opus' }] }])
  })
})

test('a refusal of the chat itself is not taken for one of the voice message', async () => {
  const { fake, platform, message, payloads } = await speaking()
  fake.failSends('forbidden')
  await expect(platform.send(message)).rejects.toMatchObject({ code: 'DISCORD_FAILED' })
  expect([payloads().length, fake.deliveries()]).toEqual([1, []])
})

test('a voice message whose answer was lost is there once after another attempt', async () => {
  const { fake, platform, message, payloads } = await speaking()
  fake.failSends('unanswered')
  await platform.send(message).catch(() => undefined)
  await platform.send(message)
  expect(payloads().length).toBeGreaterThan(1)
  expect(fake.deliveries()).toMatchObject([{ files: [{ isVoice: true }] }])
})

test('the stand-in refuses voice messages as Discord does', async () => {
  const { fake, chatId } = await connected().then(({ fake: each }) => ({ fake: each, chatId: each.member().chatId }))
  const post = async (payload: object, ...files: Uint8Array[]) => {
    const form = new FormData()
    form.set('payload_json', JSON.stringify({ allowed_mentions: { parse: [] }, flags: 8196, ...payload }))
    for (const [at, bytes] of files.entries()) form.set(`files[${at}]`, new Blob([new Uint8Array(bytes)]), 'a.ogg')
    const headers = { authorization: `Bot ${fake.env['DISCORD_BOT_TOKEN']}` }
    const said = await fetch(`${fake.config['api_url']}/channels/${chatId}/messages`, {
      method: 'POST',
      headers,
      body: form,
    })
    return (await said.json()) as { code?: number; id?: string }
  }
  const about = { id: 0, filename: 'a.ogg', duration_secs: 1, waveform: 'AAB/' }
  const whole = { attachments: [about] }
  expect(await post({ ...whole, content: 'words' }, sound)).toMatchObject({ code: 50159 })
  expect(await post(whole, mp3Frames(3))).toMatchObject({ code: 50160 })
  expect(await post({ attachments: [about, { ...about, id: 1 }] }, sound, sound)).toMatchObject({ code: 50160 })
  const { waveform: _, ...flat } = about
  expect(await post({ attachments: [flat] }, sound)).toMatchObject({ code: 50161 })
  expect(await post({ attachments: [{ ...about, waveform: '' }] }, sound)).toMatchObject({ code: 50161 })
  expect(await post({ attachments: [{ ...about, waveform: btoa('x'.repeat(257)) }] }, sound)).toMatchObject({
    code: 50161,
  })
  expect(await post({ attachments: [{ ...about, duration_secs: 0 }] }, sound)).toMatchObject({ code: 50192 })
  expect(await post({ ...whole, flags: 8196 | 64 }, sound)).toMatchObject({ code: 50035 })
  const { id } = await post(whole, sound)
  expect(id).toBeDefined()
  const change = fetch(`${fake.config['api_url']}/channels/${chatId}/messages/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bot ${fake.env['DISCORD_BOT_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'x', allowed_mentions: { parse: [] }, flags: 4 }),
  })
  expect(await (await change).json()).toMatchObject({ code: 50162 })
})

test('a voice message of a person is marked as one', async () => {
  const { fake, ear } = await connected()
  const files = [{ name: 'voice-message.ogg', mediaType: 'audio/ogg', bytes: sound, isVoice: true as const }]
  await fake.member().say('', { files })
  await expect.poll(() => ear.received.length).toBe(1)
  expect(ear.received[0]?.files).toMatchObject([{ name: 'voice-message.ogg', mediaType: 'audio/ogg', isVoice: true }])
})
