/** Stories of every platform whose service calls a webhook: calls that it did not make, and messages that meet its faults. */
import { classifyDeliveryError, type SendFault, type StandInService } from 'svc/sdk/platform'
import { describe, expect, test } from 'vitest'
import { createStages } from './platform-stage.ts'

/** A request to the webhook. */
export interface StoryCall {
  readonly headers?: Readonly<Record<string, string>>
  /** In front of it the path of the platform. */
  readonly query?: string
  readonly body: string
}

export interface WebhookStories<Fake extends StandInService> {
  readonly name: string
  readonly path: string
  readonly open: () => Promise<Fake>
  /** A call of the service with this body, as it proves itself. */
  readonly genuine: (fake: Fake, body: string) => StoryCall | Promise<StoryCall>
  /** The body of a message that says `hello`. */
  readonly hello: (fake: Fake) => string
  /** Calls that the service did not make, by what is wrong with them. */
  readonly forged: Readonly<Record<string, (fake: Fake, body: string) => StoryCall | Promise<StoryCall>>>
  /** Bodies that are no call, each from the service itself. */
  readonly malformed: readonly string[]
  /** Bodies from the service itself that need no answer. */
  readonly silent?: readonly string[]
  readonly wrongChats: readonly string[]
  /** What is known after a send that went wrong. */
  readonly faults: Readonly<Partial<Record<SendFault, 'busy' | 'refused' | 'unsure'>>>
  /** The service knows a message that was sent twice. */
  readonly isIdempotent?: true
  readonly maxTextLength: number
}

export function tellWebhookStories<Fake extends StandInService>(about: WebhookStories<Fake>): void {
  const { connected } = createStages(about.name, about.open)
  const opened = async () => {
    const one = await connected()
    const post = async ({ headers = {}, query = '', body }: StoryCall) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
      return (await fetch(`${one.url}${about.path}${query}`, init)).status
    }
    return { ...one, post }
  }
  const failing = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    )

  describe(`calls of the webhook of ${about.name}`, () => {
    test('are refused and never seen when the service did not make them', async () => {
      const one = await opened()
      const hello = about.hello(one.fake)
      for (const [what, forge] of Object.entries(about.forged))
        expect([what, await one.post(await forge(one.fake, hello))]).toEqual([what, 401])
      expect(one.ear.received).toEqual([])
      expect(await one.post(await about.genuine(one.fake, hello))).toBe(200)
      expect(one.ear.texts).toEqual(['hello'])
    })

    test('are answered with 400 when they are none, and are no message when they need no answer', async () => {
      const one = await opened()
      for (const body of about.malformed)
        expect([body, await one.post(await about.genuine(one.fake, body))]).toEqual([body, 400])
      for (const body of about.silent ?? [])
        expect([body, await one.post(await about.genuine(one.fake, body))]).toEqual([body, 200])
      expect(one.ear.received).toEqual([])
    })

    test('are not acknowledged while their message is not stored', async () => {
      const one = await opened()
      one.ear.refuse = 1
      await one.fake.member().say('please')
      await expect.poll(() => one.ear.texts, { timeout: 10_000 }).toEqual(['please'])
      expect(one.ear.refused).toBe(1)
    })
  })

  describe(`messages to ${about.name}`, () => {
    test('that meet a fault fail with what is certain of it', async () => {
      const { platform, fake } = await opened()
      const { chatId } = fake.member()
      for (const [fault, kind] of Object.entries(about.faults)) {
        const before = fake.deliveries().length
        fake.failSends(fault as SendFault)
        const text = { chatId, text: `met ${fault}`, key: fault }
        expect([fault, classifyDeliveryError(await failing(platform.send(text))).kind]).toEqual([fault, kind])
        const arrived = fault === 'unanswered' ? 1 : 0
        expect([fault, fake.deliveries().length - before]).toEqual([fault, arrived])
        await platform.send(text)
        expect(fake.deliveries().length - before).toBe(about.isIdempotent ? 1 : 1 + arrived)
      }
    })

    test('end the connection for good when the account is not accepted any more, without a word of its secrets', async () => {
      const { platform, fake, ear } = await opened()
      const { chatId } = fake.member()
      fake.disturb('logout')
      const error = await failing(platform.send({ chatId, text: 'hi', key: 'k' }))
      expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
      expect(ear.losses).toMatchObject([{ final: true, code: `${about.name}_unauthorized` }])
      for (const secret of Object.values(fake.env).filter((value) => value.length > 12 && !value.startsWith('http')))
        expect(String(error)).not.toContain(secret)
    })

    test('do not leave when they are too long, for no chat of the service, or without a connection', async () => {
      const { platform, fake } = await opened()
      const { chatId } = fake.member()
      for (const wrong of about.wrongChats)
        expect(await failing(platform.send({ chatId: wrong, text: 'hi', key: 'k' }))).toMatchObject({
          code: 'PLATFORM_REFUSED',
        })
      const long = { chatId, text: 'x'.repeat(about.maxTextLength + 1), key: 'k' }
      expect(await failing(platform.send(long))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
      await platform.close()
      const late = { chatId, text: 'hi', key: 'k' }
      expect(await failing(platform.send(late))).toMatchObject({ code: 'PLATFORM_NOT_CONNECTED' })
      expect(fake.deliveries()).toEqual([])
    })
  })
}
