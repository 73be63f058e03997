import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  openStandIn,
  type TelegramStandIn,
} from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected: bot, contract, stage } = createStages('telegram', () => openStandIn({ webhook: true }))

const SECRET = 'a_secret-of-the-test'
const MESSAGE = { message_id: 9, chat: { id: 1, type: 'private' }, from: { id: 1, first_name: 'Eve' }, text: 'hello' }

async function service(): Promise<TelegramStandIn> {
  const fake = await openStandIn({ webhook: true })
  onTestFinished(() => fake.close())
  return fake
}

/** What another program with the token would be told. */
async function ask(fake: TelegramStandIn, method: string, params: object = {}) {
  const address = `${fake.config['base_url']}/bot${fake.env['TELEGRAM_BOT_TOKEN']}/${method}`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(params) })
  return (await answer.json()) as { readonly result: Readonly<Record<string, unknown>>; readonly description?: string }
}

async function call(url: string, secret: string | undefined, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(secret && { 'x-telegram-bot-api-secret-token': secret }) }
  const init = { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
  return (await fetch(`${url}/telegram/updates`, init)).status
}

describe('Telegram with a webhook keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('what Telegram brings to a webhook', () => {
  test('is told to have arrived only once it is safe, and keeps its order', async () => {
    await using at = await bot()
    at.ear.refuse = 2
    for (const text of ['one', 'two', 'three']) await at.fake.member().say(text)
    await expect.poll(() => at.ear.texts, { timeout: 5000 }).toEqual(['one', 'two', 'three'])
    await expect.poll(async () => (await ask(at.fake, 'getWebhookInfo')).result['pending_update_count']).toBe(0)
  })

  test('waits at Telegram while svc is away', async () => {
    const fake = await service()
    {
      await using at = await bot({ fake })
      await fake.member().say('before')
      await expect.poll(() => at.ear.texts).toEqual(['before'])
    }
    await fake.member().say('meanwhile')
    await using again = await bot({ fake })
    await expect.poll(() => again.ear.texts, { timeout: 10_000 }).toEqual(['meanwhile'])
  })

  test('is taken only with the secret that Telegram was told', async () => {
    await using at = await bot({ env: { TELEGRAM_WEBHOOK_SECRET: SECRET } })
    for (const wrong of [undefined, '', 'another', `${SECRET} `.repeat(2)])
      expect(await call(at.url, wrong, { update_id: 1, message: MESSAGE })).toBe(401)
    expect(at.ear.received).toEqual([])
    expect(await call(at.url, SECRET, { update_id: 1, message: MESSAGE })).toBe(200)
    expect(at.ear.texts).toEqual(['hello'])
  })

  test('and is no update, or none that can be read, harms nothing', async () => {
    await using at = await bot({ env: { TELEGRAM_WEBHOOK_SECRET: SECRET } })
    for (const body of ['', '{{', 'null', '[]', '{"update_id":"x"}']) expect(await call(at.url, SECRET, body)).toBe(400)
    for (const update of [{ poll: {} }, { message: { chat: 'none' } }, { message: { ...MESSAGE, text: '' } }])
      expect(await call(at.url, SECRET, { update_id: 1, ...update })).toBe(200)
    expect(at.ear.received).toEqual([])
    expect((await fetch(`${at.url}/health`)).status).toBe(200)
  })

  test('a button that was pressed is brought, and is no longer busy once that is safe', async () => {
    await using at = await bot()
    const buttons = [{ value: 'yes:1', label: 'Yes' }]
    await at.platform.send({ chatId: '1001', text: 'Shall I?', key: 'k', buttons })
    await at.fake.member().press?.('Yes')
    await expect.poll(() => at.ear.received).toMatchObject([{ press: 'yes:1', userId: '1001' }])
    await expect.poll(() => at.fake.answered).toHaveLength(1)
  })
})

describe('the way from Telegram to a webhook', () => {
  test('can be changed to polling and back, and nothing is lost on the way', async () => {
    const fake = await service()
    const ways = ['', fake.config['webhook_url'], '', fake.config['webhook_url']]
    for (const [turn, webhook_url] of ways.entries()) {
      await fake.member().say(`before ${turn}`)
      await using at = await bot({ fake, config: { webhook_url } })
      await fake.member().say(`during ${turn}`)
      await expect.poll(() => at.ear.texts.slice(-2), { timeout: 10_000 }).toEqual([`before ${turn}`, `during ${turn}`])
      expect(at.ear.losses).toEqual([])
      expect((await ask(fake, 'getWebhookInfo')).result['url']).toBe(webhook_url)
    }
  })

  test.for([
    ['an address that is none', { TELEGRAM_WEBHOOK_URL: 'bot.example.com' }, 'webhook_url'],
    ['a path that a router would read', { TELEGRAM_WEBHOOK_URL: 'https://bot.example.com/:id' }, 'webhook_url'],
    ['an address without encryption', { TELEGRAM_WEBHOOK_URL: 'http://bot.example.com/' }, 'HTTPS'],
    ['a port that Telegram does not call', { TELEGRAM_WEBHOOK_URL: 'https://bot.example.com:9000/' }, '8443'],
    ['a secret that cannot be sent', { TELEGRAM_WEBHOOK_SECRET: 'two words' }, 'TELEGRAM_WEBHOOK_SECRET'],
  ] as const)('with %s is refused, and it is said what to correct', async ([, env, hint]) => {
    await using at = await stage({ env })
    const error = await at.platform.connect(at.ear).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'TELEGRAM_WEBHOOK_URL' })
    expect(String(error)).toContain(hint)
    expect(classifyDeliveryError(error).kind).toBe('refused')
    expect(at.listen()).toBe('')
  })

  test('ends when another program takes it over, and the two do not fight', async () => {
    await using at = await bot()
    expect(await at.platform.probe()).toBe(true)
    await ask(at.fake, 'setWebhook', { url: 'https://other.example.com/' })
    expect(await at.platform.probe()).toBe(false)
    expect(at.ear.losses).toMatchObject([{ final: true, code: 'telegram_webhook' }])
    expect((await ask(at.fake, 'getWebhookInfo')).result['url']).toBe('https://other.example.com/')
  })

  test('is not taken back by polling that another program ended with it', async () => {
    await using at = await bot({ config: { webhook_url: '' } })
    await expect.poll(() => at.fake.connected()).toBe(true)
    await ask(at.fake, 'setWebhook', { url: 'https://other.example.com/' })
    await expect.poll(() => at.ear.losses).toMatchObject([{ final: true, code: 'telegram_webhook' }])
    expect((await ask(at.fake, 'getUpdates')).description).toContain('webhook is active')
  })

  test('that does not work is said with the words of Telegram', async () => {
    await using at = await bot()
    at.fake.callback?.('http://127.0.0.1:1/')
    await at.fake.member().say('hello?')
    await expect.poll(async () => (await ask(at.fake, 'getWebhookInfo')).result['last_error_date']).toBeDefined()
    expect(await at.platform.probe()).toBe(true)
    const log = () => readFileSync(join(at.kernel.home, 'logs', 'svc.log'), 'utf8')
    await expect.poll(log).toContain('Connection refused')
    at.listen()
    await expect.poll(() => at.ear.texts, { timeout: 10_000 }).toEqual(['hello?'])
  })

  test('ends with the token, and is closed with the platform', async () => {
    await using at = await bot()
    at.fake.disturb('logout')
    expect(await at.platform.probe()).toBe(false)
    expect(at.ear.losses).toMatchObject([{ final: true, code: 'telegram_unauthorized' }])
    expect(await catchCode(at.platform.connect(at.ear))).toBe('TELEGRAM_UNAUTHORIZED')
    await expect(fetch(at.url)).rejects.toThrow()
  })
})
