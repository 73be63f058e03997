import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type EmailStandIn,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { connectedBooth, Ear, openBooth } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const PATIENCE = { timeout: 10_000 }

async function provider(): Promise<EmailStandIn> {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}

/** What a promise was rejected with. */
async function catchFailure(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { code: errorCode(error), ...classifyDeliveryError(error), text: String(error) }
}

describe('email keeps the contract of platforms, over real sockets', () => {
  const cases = platformContract(async () => {
    const fake = await openStandIn()
    const { platform, close } = await openBooth('email', fake)
    return {
      platform,
      join: () => {
        const person = fake.member()
        const heard = () => fake.deliveries().flatMap((each) => (each.chatId === person.chatId ? [each.visible] : []))
        return { chatId: person.chatId, say: async (text) => void (await person.say(text)), heard }
      },
      async close() {
        await close()
        await fake.close()
      },
    }
  })
  for (const { name, run } of cases) test(name, run)
})

describe('a mail that comes in', () => {
  test('is a message of anyone who is proven to have written it, in its thread', async () => {
    const fake = await provider()
    const { platform, ear } = await connectedBooth('email', fake)
    const ann = fake.member({ userId: 'Ann@People.Example' })
    const first = await ann.say('How are you?')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1), PATIENCE)
    expect(ear.received[0]).toMatchObject({
      chatId: 'ann@people.example',
      userId: 'ann@people.example',
      chatKind: 'dm',
      messageId: first,
      threadId: first,
    })
    const { messageId } = await platform.send({ chatId: ann.chatId, threadId: first, text: 'Fine', key: 'k' })
    await ann.say('Good', { quote: messageId })
    await vi.waitFor(() => expect(ear.received).toHaveLength(2), PATIENCE)
    expect(ear.received[1]).toMatchObject({ threadId: first, quote: { messageId } })
  })

  test('from someone who is not proven is that of a stranger, and is told apart from the real one', async () => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', fake)
    fake.arrive({ headers: ['From: Ann <ann@people.example>', 'Message-ID: <forged@x>'], text: 'it is me' })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1), PATIENCE)
    expect(ear.received[0]).toMatchObject({
      userId: 'unverified:ann@people.example',
      chatId: 'unverified:ann@people.example',
    })
  })

  test('from anyone is believed where the owner says that the server checks', async () => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', { ...fake, config: { ...fake.config, trust_from: true } })
    fake.arrive({ headers: ['From: ann@people.example'], text: 'it is me' })
    await vi.waitFor(() => expect(ear.received.map(({ userId }) => userId)).toEqual(['ann@people.example']), PATIENCE)
  })

  test.for([
    ['Auto-Submitted: auto-replied (vacation)'],
    ['Precedence: list'],
    ['List-Id: <news.example>'],
    ['Return-Path: <>'],
    ['X-Autoreply: yes'],
    ['From: two@people.example'],
    ['Content-Type: multipart/report; report-type=delivery-status'],
  ] as const)('with %s is not answered, so that no two programs write to each other for ever', async ([header]) => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', fake)
    fake.arrive({ headers: [header, 'From: ann@people.example'], text: 'automatic' })
    await fake.member().say('the end')
    await vi.waitFor(() => expect(ear.texts).toEqual(['the end']), PATIENCE)
  })

  test('from svc itself, from no one, or with nothing in it is left alone', async () => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', fake)
    const senders = [
      'svc@fake.example',
      'no-reply@shop.example',
      'MAILER-DAEMON@fake.example',
      '',
      'no address',
      'a@b, c@d',
    ]
    for (const from of senders) fake.arrive({ headers: [`From: ${from}`], text: 'hello' })
    fake.arrive({ headers: ['From: ann@people.example'], text: ' \r\n\t' })
    fake.arrive({ text: 'without any header' })
    await fake.member().say('the end')
    await vi.waitFor(() => expect(ear.texts).toEqual(['the end']), PATIENCE)
  })

  test('says its subject when it begins a thread, unless it is a command', async () => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', fake)
    const from = 'From: ann@people.example'
    fake.arrive({ headers: [from, 'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?='], text: 'aus Wien' })
    fake.arrive({ headers: [from, 'Subject: a command'], text: '/help' })
    fake.arrive({ headers: [from, 'Subject: Re: before', 'In-Reply-To: <x@y>'], text: 'an answer' })
    fake.arrive({ headers: [from, 'Subject: only this'], text: '' })
    await vi.waitFor(() => expect(ear.received).toHaveLength(4), PATIENCE)
    expect(ear.texts).toEqual(['Grüße\n\naus Wien', '/help', 'an answer', 'only this'])
  })

  test('brings its files, which are fetched when they are wanted, and never past the limit', async () => {
    const fake = await provider()
    const { platform, ear } = await connectedBooth('email', fake)
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
    const files = [
      { name: 'data.bin', mediaType: 'application/octet-stream', bytes },
      { name: 'pixel.png', mediaType: 'image/png', bytes: Buffer.from('PNG') },
    ]
    await fake.member().say('two files', { files })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1), PATIENCE)
    const found = ear.received[0]?.files ?? []
    expect(found.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ['data.bin', 'application/octet-stream'],
      ['pixel.png', 'image/png'],
    ])
    const [file] = found
    const { signal } = new AbortController()
    if (!file || !platform.fetch) throw new Error('there is no file')
    expect(Buffer.compare(await platform.fetch(file, { maxBytes: 200_000, signal }), bytes)).toBe(0)
    expect(await catchFailure(platform.fetch(file, { maxBytes: 199_999, signal }))).toMatchObject({
      code: 'PLATFORM_FILE_LARGE',
    })
    const gone = { ...file, ref: '6/1/2' }
    expect(await catchFailure(platform.fetch(gone, { maxBytes: 0, signal }))).toMatchObject({ code: 'EMAIL_FILE' })
    expect(await platform.probe()).toBe(true)
  })

  test('and could not be taken comes again, in order, and is not forgotten by a restart', async () => {
    const fake = await provider()
    const home = temporaryFolder()
    const first = await openBooth('email', { ...fake, home })
    const full = new Ear()
    full.refuse = Number.POSITIVE_INFINITY
    await first.platform.connect(full)
    await fake.member().say('one')
    await fake.member().say('two')
    await first.close()
    expect(full.received).toEqual([])
    const { ear } = await connectedBooth('email', { ...fake, home })
    await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']), PATIENCE)
  })

  test('is old when it was there before svc was', async () => {
    const fake = await provider()
    await fake.member().say('long ago')
    const { ear } = await connectedBooth('email', fake)
    await fake.member().say('now')
    await vi.waitFor(() => expect(ear.texts).toEqual(['now']), PATIENCE)
  })

  test('that breaks the connection whenever it is read does not hold up the others for ever', async () => {
    const fake = await provider()
    const { platform, ear } = await connectedBooth('email', fake)
    await platform.close()
    await fake.member().say('poison')
    fake.breakNewest()
    await fake.member().say('the end')
    for (let round = 1; round <= 5; round++) {
      await platform.connect(ear)
      await vi.waitFor(() => expect(ear.losses).toHaveLength(round), PATIENCE)
    }
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.texts).toEqual(['the end']), PATIENCE)
  })

  test('is found by looking, where the server announces nothing', async () => {
    const fake = await provider()
    const clock = virtualClock()
    const { platform, ear } = await connectedBooth('email', { ...fake, clock })
    fake.disturb('late')
    await fake.member().say('held back')
    await platform.probe()
    fake.calm()
    await vi.waitFor(async () => {
      await clock.advance(60_000)
      expect(ear.texts).toEqual(['held back'])
    }, PATIENCE)
  })

  test('twice keeps its id, by which the gateway knows it', async () => {
    const fake = await provider()
    const { ear } = await connectedBooth('email', fake)
    fake.disturb('twice')
    const id = await fake.member().say('hello')
    await vi.waitFor(() => expect(ear.received.map(({ messageId }) => messageId)).toEqual([id, id]), PATIENCE)
  })
})

describe('a mail that goes out', () => {
  test('has an address, a subject, an id that stays, and says that no person wrote it', async () => {
    const fake = await provider()
    const { platform } = await connectedBooth('email', { ...fake, config: { ...fake.config, display_name: 'My svc' } })
    const message = { chatId: 'ann@people.example', text: '# Three news\n\n.first\nFrom here: ünïcödé ✓', key: 'k1' }
    const { messageId } = await platform.send(message)
    const [mail = ''] = fake.sent()
    expect(mail).toMatch(/^From: My svc <svc@fake\.example>\r$/m)
    expect(mail).toMatch(/^To: ann@people\.example\r$/m)
    expect(mail).toMatch(/^Subject: Three news\r$/m)
    expect(mail).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(mail).toContain(`Message-ID: ${messageId}`)
    expect(fake.deliveries()[0]?.visible).toBe(message.text)
    expect(await platform.send(message)).toEqual({ messageId })
    expect(await platform.send({ ...message, key: 'k2' })).not.toEqual({ messageId })
  })

  test('carries a file', async () => {
    const fake = await provider()
    const { platform } = await connectedBooth('email', fake)
    const bytes = Buffer.from([0, 1, 2, 255])
    const file = outboundFile('a "b".bin', bytes, { mediaType: 'application/octet-stream' })
    await platform.send({ chatId: 'ann@people.example', text: '', key: 'k', files: [file] })
    expect(fake.deliveries()[0]?.files.map((each) => Buffer.from(each.bytes).equals(bytes))).toEqual([true])
  })

  test('cannot be made to go to others, or to have other headers', async () => {
    const fake = await provider()
    const { platform } = await connectedBooth('email', fake)
    const targets = [
      '',
      'ann',
      'a@b\r\nBcc: c@d',
      'a@b, c@d',
      'A <a@b>',
      '<a@b>',
      'group: a@b;',
      `${'a'.repeat(300)}@b`,
      'a b@c',
    ]
    for (const chatId of targets)
      expect(await catchFailure(platform.send({ chatId, text: 'hi', key: 'k' }))).toMatchObject({
        code: 'EMAIL_ADDRESS',
        kind: 'refused',
      })
    const name = 'x\r\nBcc: eve@evil.example'
    const file = outboundFile(name, 'x', { mediaType: 'text/plain\r\nBcc: eve@evil.example' })
    const text = 'subject\r\nBcc: eve@evil.example'
    await platform.send({ chatId: 'ann@people.example', text, key: 'k', files: [file] })
    expect(fake.sent().join('').split('\r\n\r\n', 1)[0]).not.toMatch(/^Bcc:/im)
    expect(fake.deliveries().map(({ chatId }) => chatId)).toEqual(['ann@people.example'])
  })

  test.for([
    ['busy', { code: 'EMAIL_BUSY', kind: 'busy' }, 0],
    ['unavailable', { code: 'EMAIL_BUSY', kind: 'busy' }, 0],
    ['forbidden', { code: 'EMAIL_REFUSED', kind: 'refused' }, 0],
    ['lost', { code: 'EMAIL_BUSY', kind: 'busy' }, 0],
    ['unanswered', { code: 'EMAIL_UNANSWERED', kind: 'unsure' }, 1],
  ] as const)('says honestly what is certain when it is %s', async ([fault, expected, seen]) => {
    const fake = await provider()
    const { platform } = await connectedBooth('email', fake)
    fake.failSends(fault)
    expect(await catchFailure(platform.send({ chatId: 'ann@people.example', text: 'hi', key: 'k' }))).toMatchObject(
      expected,
    )
    expect(fake.deliveries()).toHaveLength(seen)
    expect(await platform.probe()).toBe(true)
  })

  test('that is too long is refused', async () => {
    const fake = await provider()
    const { platform } = await connectedBooth('email', fake)
    const send = (text: string) => platform.send({ chatId: 'ann@people.example', text, key: text.slice(0, 3) })
    expect(await catchFailure(send('🎉'.repeat(25_001)))).toMatchObject({ code: 'EMAIL_LONG', kind: 'refused' })
    await send('🎉'.repeat(10_000))
    expect(fake.deliveries()[0]?.visible).toBe('🎉'.repeat(10_000))
  })

  test('with a password that was changed meanwhile ends the connection for good', async () => {
    const fake = await provider()
    const { platform, ear } = await connectedBooth('email', fake)
    fake.disturb('logout')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1), PATIENCE)
    expect(await catchFailure(platform.connect(ear))).toMatchObject({ code: 'EMAIL_UNAUTHORIZED', kind: 'refused' })
    fake.calm()
    await platform.connect(ear)
    expect(await platform.probe()).toBe(true)
  })
})

describe('the connection to the mail servers', () => {
  test('says what is missing before anything is opened', async () => {
    const whole = { address: 'a@b.example', imap_host: 'i', smtp_host: 's', authserv_id: 'mx' }
    const env = { EMAIL_PASSWORD: 'some-password' }
    const said = async (config: object, variables: Record<string, string> = env) => {
      const { platform } = await openBooth('email', { config: { ...config }, env: variables })
      return platform.missing?.()
    }
    expect(await said({})).toMatch(/EMAIL_ADDRESS/)
    expect(await said({ ...whole, address: 'nobody' })).toMatch(/EMAIL_ADDRESS/)
    expect(await said(whole, {})).toMatch(/EMAIL_PASSWORD/)
    expect(await said({ ...whole, imap_host: '' })).toMatch(/EMAIL_IMAP_HOST/)
    expect(await said({ ...whole, smtp_host: '' })).toMatch(/EMAIL_SMTP_HOST/)
    expect(await said({ ...whole, authserv_id: '' })).toMatch(/EMAIL_AUTHSERV_ID/)
    expect(await said({ ...whole, smtp_security: 'none' })).toMatch(/unencrypted/)
    expect(await said({ ...whole, authserv_id: '', trust_from: true })).toBeUndefined()
    const variables = {
      EMAIL_ADDRESS: 'a@b.example',
      EMAIL_IMAP_HOST: 'i',
      EMAIL_SMTP_HOST: 's',
      EMAIL_AUTHSERV_ID: 'mx',
    }
    expect(await said({}, { ...env, ...variables })).toBeUndefined()
  })

  test('tells a wrong password from servers that are away, and never shows it', async () => {
    const fake = await provider()
    const refusal = async (config: object, env: Record<string, string> = fake.env as Record<string, string>) => {
      const { platform } = await openBooth('email', { config: { ...fake.config, ...config }, env })
      return catchFailure(platform.connect(new Ear()))
    }
    const wrong = await refusal({}, { EMAIL_PASSWORD: 'wrong-password' })
    expect(wrong).toMatchObject({ code: 'EMAIL_UNAUTHORIZED', kind: 'refused' })
    expect(wrong.text).not.toContain('wrong-password')
    expect(await refusal({ imap_port: 1 })).toMatchObject({ code: 'EMAIL_UNREACHABLE', kind: 'unsure' })
    expect(await refusal({ smtp_port: 1 })).toMatchObject({ code: 'EMAIL_UNREACHABLE', kind: 'unsure' })
    expect(await refusal({ mailbox: 'Elsewhere' })).toMatchObject({ code: 'EMAIL_MAILBOX', kind: 'refused' })
    expect(await refusal({ tls_ca: '/nowhere.pem' })).toMatchObject({ code: 'EMAIL_CERTIFICATE', kind: 'refused' })
  })

  test('fails when a server speaks nonsense', async () => {
    const fake = await provider()
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    for (const config of [{ smtp_port: port }, { imap_port: port }]) {
      const { platform } = await openBooth('email', { ...fake, config: { ...fake.config, ...config } })
      expect(await catchFailure(platform.connect(new Ear()))).toMatchObject({ code: 'EMAIL_UNREACHABLE' })
    }
  })

  test('that breaks is reported once, and can be made again', async () => {
    const fake = await provider()
    const { platform, ear } = await connectedBooth('email', fake)
    fake.disturb('flap')
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1), PATIENCE)
    expect(await platform.probe()).toBe(false)
    expect(await catchFailure(platform.send({ chatId: 'a@b.example', text: 'hi', key: 'k' }))).toMatchObject({
      kind: 'busy',
    })
    await fake.member().say('meanwhile')
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.texts).toEqual(['meanwhile']), PATIENCE)
    await platform.close()
    expect(ear.losses).toHaveLength(1)
  })

  test('that has gone silent is noticed by a probe', async () => {
    const fake = await provider()
    const clock = virtualClock()
    const { platform } = await connectedBooth('email', { ...fake, clock })
    fake.disturb('silence')
    const probe = platform.probe()
    await clock.advance(10_000)
    expect(await probe).toBe(false)
  })
})
