import { createHmac } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import type { Platform } from 'svc/sdk/platform'
import { describe, expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const { connected, stage } = createStages('slack', openStandIn)
/** Events over HTTP, on a free port. */
const OVER_HTTP = { mode: 'events', http_port: 0 }

async function overHttp() {
  const stage = await connected({ config: OVER_HTTP })
  stage.listen()
  return stage
}

const event = (text: string, ts = '1.1') =>
  JSON.stringify({ type: 'event_callback', event: { type: 'message', channel: 'D1', user: 'U1', text, ts } })

describe('events of Slack over HTTP', () => {
  test('an address is confirmed with its challenge', async () => {
    const { fake } = await overHttp()
    await fake.post('application/json', JSON.stringify({ type: 'url_verification', challenge: 'abc' }))
    expect(fake.replies).toEqual([{ status: 200, text: '{"challenge":"abc"}' }])
  })

  test('a message is answered with 200 after it was taken, and otherwise asked for again', async () => {
    const { fake, ear } = await overHttp()
    ear.refuse = 1
    await fake.post('application/json', event('hello'))
    await fake.post('application/json', event('hello'))
    expect(fake.replies.map(({ status }) => status)).toEqual([503, 200])
    expect(ear.received).toMatchObject([{ text: 'hello', chatId: 'D1', messageId: '1.1' }])
  })

  test('a request that was taken and comes again, byte for byte, is not taken a second time, also after a restart', async () => {
    const cursors = new Map<string, string>()
    const home = temporaryFolder()
    const { fake, ear, address, close } = await listening({ home, cursors })
    const time = String(Math.floor(Date.now() / 1000))
    const body = event('once')
    const digest = createHmac('sha256', fake.signingSecret).update(`v0:${time}:${body}`).digest('hex')
    const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${digest}` }
    const post = (to: string) => fetch(`${to}/events`, { method: 'POST', headers, body })
    expect([(await post(address)).status, (await post(address)).status]).toEqual([200, 200])
    expect(ear.texts).toEqual(['once'])
    await close()
    const next = await listening({ home, cursors, fake })
    expect((await post(next.address)).status).toBe(200)
    expect(next.ear.texts).toEqual([])
  })

  test('buttons and commands come as forms', async () => {
    const { fake, platform, ear } = await overHttp()
    const ada = fake.member({ group: 'lab' })
    await platform.send({ chatId: ada.chatId, text: 'ok?', key: 'k', buttons: [{ value: 'y', label: 'Yes & no' }] })
    await ada.press?.('Yes & no')
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ press: 'y', text: 'Yes & no', chatKind: 'channel' }]))
    const command = { command: '/svc', text: 'model fast', user_id: 'U1', channel_id: 'D1', trigger_id: 't1' }
    fake.sendEnvelope('slash_commands', command)
    await vi.waitFor(() => expect(ear.received.at(-1)).toMatchObject({ text: '!model fast', messageId: 't1' }))
  })

  test.each([
    ['is recorded and comes after more than five minutes', -301],
    ['claims to come from the future', 301],
  ])('a request that %s is refused', async (_name, seconds) => {
    const { fake, ear } = await overHttp()
    await fake.post('application/json', event('old'), Math.floor(Date.now() / 1000) + seconds)
    expect(fake.replies[0]?.status).toBe(401)
    expect(ear.received).toEqual([])
  })

  test('a request without a signature, with a forged one, or with another body is refused', async () => {
    const { fake, ear, address } = await listening()
    const time = String(Math.floor(Date.now() / 1000))
    const signed = (secret: string, body: string) =>
      `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
    const body = event('forged')
    for (const headers of [
      {},
      { 'x-slack-request-timestamp': time },
      { 'x-slack-request-timestamp': time, 'x-slack-signature': 'v0=' },
      { 'x-slack-request-timestamp': time, 'x-slack-signature': signed('another-secret', body) },
      { 'x-slack-request-timestamp': time, 'x-slack-signature': signed(fake.signingSecret, event('other')) },
      { 'x-slack-request-timestamp': `${time}x`, 'x-slack-signature': signed(fake.signingSecret, body) },
    ] as Record<string, string>[]) {
      const response = await fetch(`${address}/events`, { method: 'POST', headers, body })
      expect(response.status).toBe(401)
    }
    expect(ear.received).toEqual([])
  })

  test('bodies that are no events are refused, and too large ones are not read', async () => {
    const { fake, ear } = await overHttp()
    await fake.post('application/json', '{"type":')
    await fake.post('application/x-www-form-urlencoded', 'payload=%7B')
    await fake.post('application/json', event('x'.repeat(5 * 2 ** 20))).catch(() => undefined)
    expect(fake.replies.slice(0, 2).map(({ status }) => status)).toEqual([400, 400])
    expect(ear.received).toEqual([])
  })

  test('without the signing secret it is not connected, and says so', async () => {
    const { platform } = await stage({ config: OVER_HTTP, env: { SLACK_SIGNING_SECRET: '' } })
    expect(platform.missing?.()).toContain('SLACK_SIGNING_SECRET')
    await expect(connect(platform)).rejects.toThrow(SvcError)
  })

  test('it is probed with a round trip, and nothing listens after it was closed', async () => {
    const { fake, platform, address } = await listening()
    expect(await platform.probe()).toBe(true)
    fake.answerNext('auth.test', { status: 500 })
    expect(await platform.probe()).toBe(false)
    await platform.close()
    const answer = await fetch(`${address}/events`, { method: 'POST' }).then(
      ({ status }) => status,
      () => 'nobody',
    )
    expect(['nobody', 404]).toContain(answer)
  })
})

const connect = (platform: Platform) => platform.connect(new Ear())

async function listening(more: Parameters<typeof connected>[0] = {}) {
  const stage = await connected({ config: OVER_HTTP, ...more })
  return { ...stage, address: stage.listen() }
}
