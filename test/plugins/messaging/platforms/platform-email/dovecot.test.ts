import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, platformContract } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { FakeTokens } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/tokens.ts'
import { eventually, MailServers, missingMailServers } from '../../../../support/mail-servers.ts'
import { connectedBooth, Ear, openBooth, type Place } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const missing = missingMailServers()
const why = missing ? ` (skipped: ${missing})` : ''
const SLOW = 45_000

describe.skipIf(missing)(`a real Dovecot behind a real OpenSMTPD${why}`, () => {
  let servers: MailServers
  const tokens = new FakeTokens('svc@example.test')
  let mails = 0
  beforeAll(async () => {
    await tokens.open()
    servers = await MailServers.start({ introspectionUrl: tokens.introspectionUrl })
  }, 40_000)
  afterAll(() => Promise.all([servers?.stop(), tokens.close()]))

  const place = (more: object = {}): Place => ({
    config: {
      ...{ address: `svc@${servers.domain}`, imap_host: '127.0.0.1', imap_port: servers.imapPort },
      ...{ smtp_host: '127.0.0.1', smtp_port: servers.submissionPort, tls_ca: servers.certificate },
      ...{ authserv_id: `mx.${servers.domain}`, ...more },
    },
    env: { EMAIL_PASSWORD: servers.password },
  })

  /** A mail as the server would have it when it has checked the sender. */
  const letter = (body: string, headers: readonly string[] = [], from = 'ann@example.test') =>
    [
      `Authentication-Results: mx.${servers.domain}; dmarc=pass header.from=${servers.domain}`,
      `From: Ann <${from}>`,
      `To: svc@${servers.domain}`,
      `Message-ID: <mail-${++mails}@${servers.domain}>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      ...headers,
      '',
      body,
    ].join('\r\n')
  const write = (raw: string | Buffer, from = `ann@${servers.domain}`) =>
    servers.deliver({ from, to: `svc@${servers.domain}`, raw })

  describe('and the contract', () => {
    const cases = platformContract(async () => {
      const { platform, close } = await openBooth('email', place())
      return {
        platform,
        join: () => ({
          chatId: `ann@${servers.domain}`,
          say: (text) => write(letter(text)),
          heard: () => servers.mails('ann').map((mail) => mail.body()),
        }),
        close,
      }
    })
    for (const { name, run } of cases) test(`of platforms: ${name}`, run, 30_000)
  })

  test('bring a mail with its thread, and take an answer into it', { timeout: 30_000 }, async () => {
    const { platform, ear } = await connectedBooth('email', place())
    await write(letter('How are you?', ['Subject: A question']))
    const message = await eventually('the mail', () => ear.received[0])
    expect(message).toMatchObject({
      chatId: 'ann@example.test',
      userId: 'ann@example.test',
      userName: 'Ann',
      text: 'A question\n\nHow are you?',
      threadId: message.messageId,
    })
    const { chatId, threadId = '' } = message
    const { messageId } = await platform.send({ chatId, threadId, text: 'Fine, **thanks**. ✓', key: 'answer' })
    const answer = await eventually('the answer', () =>
      servers.mails('ann').find((mail) => mail.header('message-id') === messageId),
    )
    expect(answer.body()).toBe('Fine, **thanks**. ✓')
    expect(answer.header('subject')).toBe('Re: A question')
    expect(answer.header('in-reply-to')).toBe(message.messageId)
    expect(answer.header('references')).toBe(message.messageId)
    expect(answer.header('auto-submitted')).toBe('auto-replied')
    const quoted = '\r\n\r\nOn Monday, svc wrote:\r\n> Fine, thanks.\r\n'
    await write(letter(`And tomorrow?${quoted}`, ['Subject: Re: A question', `In-Reply-To: ${messageId}`]))
    const next = await eventually('the next mail', () => ear.received[1])
    expect(next).toMatchObject({ text: 'And tomorrow?', threadId, quote: { messageId } })
  })

  test('keep old mail old, and bring what came while svc was away', { timeout: 40_000 }, async () => {
    const home = temporaryFolder()
    await write(letter('from before svc was there'))
    await eventually('the first mail', () => servers.mails('svc').find((mail) => mail.raw.includes('from before svc')))
    const first = await openBooth('email', { ...place(), home })
    const before = new Ear()
    await first.platform.connect(before)
    await first.close()
    await write(letter('while svc was away'))
    await eventually('the second mail', () =>
      servers.mails('svc').find((mail) => mail.raw.includes('while svc was away')),
    )
    const { ear } = await connectedBooth('email', { ...place(), home })
    await eventually('what was missed', () => ear.received[0])
    expect(ear.texts).toEqual(['while svc was away'])
    expect(before.received).toEqual([])
  })

  test('bring files, and take one', { timeout: 30_000 }, async () => {
    const { platform, ear } = await connectedBooth('email', place())
    const boundary = [
      'Content-Type: multipart/mixed; boundary=cut',
      '',
      '--cut',
      'Content-Type: text/plain',
      '',
      'see the file',
      '--cut',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename="data.bin"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 256))
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n'),
      '--cut--',
      '',
    ].join('\r\n')
    await write(`From: ann@example.test\r\nAuthentication-Results: mx.${servers.domain}; dmarc=pass\r\n${boundary}`)
    const message = await eventually('the mail', () => ear.received[0])
    const [file] = message.files ?? []
    expect(message.text).toBe('see the file')
    expect(file).toMatchObject({ name: 'data.bin', mediaType: 'application/octet-stream' })
    if (!file || !platform.fetch) throw new Error('there is no file')
    const signal = new AbortController().signal
    const bytes = await platform.fetch(file, { maxBytes: 0, signal })
    expect([bytes.length, bytes[255], bytes[256]]).toEqual([3000, 255, 0])
    await expect(platform.fetch(file, { maxBytes: 2999, signal })).rejects.toMatchObject({
      code: 'PLATFORM_FILE_LARGE',
    })
    const sent = outboundFile('ß picture.png', 'PNG!', { mediaType: 'image/png' })
    const { messageId } = await platform.send({ chatId: message.chatId, text: 'here', key: 'file', files: [sent] })
    const mail = await eventually('the answer', () =>
      servers.mails('ann').find((each) => each.header('message-id') === messageId),
    )
    expect(mail.raw).toContain(Buffer.from('PNG!').toString('base64'))
    expect(mail.raw).toContain('image/png')
  })

  test('do not make a forged sender a known one', { timeout: 30_000 }, async () => {
    const { ear } = await connectedBooth('email', place())
    const forged = (lines: readonly string[]) =>
      write(['From: ann@example.test', ...lines, '', 'give me the keys'].join('\r\n'))
    await forged([])
    await forged(['Authentication-Results: mx.elsewhere.test; dmarc=pass header.from=example.test'])
    await forged([`Authentication-Results: mx.${servers.domain}; dmarc=fail header.from=example.test; spf=pass`])
    await eventually('all three', () => (ear.received.length === 3 ? true : undefined))
    expect(new Set(ear.received.map(({ userId }) => userId))).toEqual(new Set(['unverified:ann@example.test']))
  })

  test('survive what is no mail: nonsense, a megabyte, blanks, automatic replies', { timeout: 40_000 }, async () => {
    const { ear } = await connectedBooth('email', place())
    servers.plant('svc', '')
    servers.plant('svc', 'no header at all, only words')
    servers.plant(
      'svc',
      Buffer.from([
        ...Buffer.from('From: ann@example.test\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n'),
        0xff,
        0xfe,
        0x80,
      ]),
    )
    await write(letter(' \r\n\t\r\n'))
    await write(letter('I am on holiday', ['Auto-Submitted: auto-replied']))
    await write(letter('news', ['Precedence: bulk']))
    await write(letter('away', ['Precedence: auto_reply']))
    await write(letter('from Exchange', ['X-Auto-Response-Suppress: All']))
    await write(letter('buy this', ['List-Unsubscribe: <mailto:leave@example.test>']))
    await write(letter('holiday', ['Subject: =?utf-8?q?R=C3=A9ponse_automatique_=3A_bonjour?=']))
    await write(letter('failed', [], 'mailer-daemon@example.test'))
    await write(letter('my own', [], 'svc@example.test'))
    await write(letter(`${'long '.repeat(200_000)}end`.replace(/(.{70}) /g, '$1\r\n')))
    await write(letter('the last'))
    // OpenSMTPD delivers a small mail before a large one that came earlier.
    const proven = () =>
      ear.received.filter(({ userId }) => userId === 'ann@example.test').sort((a, b) => b.text.length - a.text.length)
    await eventually('both mails of a person', () => proven()[1])
    expect(proven().map(({ text }) => text.slice(0, 9))).toEqual(['long long', 'the last'])
    expect(proven()[0]?.text.length).toBeLessThan(201_000)
    expect(ear.losses).toEqual([])
  })

  test('carry the answers of a dumb responder, which end after a few rounds', { timeout: 40_000 }, async () => {
    const { platform, ear } = await connectedBooth('email', place())
    await write(letter('I am away; your mail 1 is read later.'))
    for (let round = 1; round <= 5; round++) {
      const { chatId, threadId = '', messageId } = await eventually('the responder', () => ear.received[round - 1])
      const answer = await platform.send({ chatId, threadId, replyTo: messageId, text: 'ok', key: `loop-${round}` })
      const again = `I am away; your mail ${round + 1} is read later.`
      await write(letter(again, ['Subject: Re: mail', `In-Reply-To: ${answer.messageId}`]))
    }
    await write(letter('I am back.'))
    await eventually('other words', () => ear.received.find(({ text }) => text === 'I am back.'))
    expect(ear.received).toHaveLength(6)
  })

  test('refuse a recipient that is not there, and say so', { timeout: 30_000 }, async () => {
    const { platform } = await connectedBooth('email', place())
    const failure: unknown = await platform
      .send({ chatId: 'nobody@example.test', text: 'hi', key: 'k' })
      .catch((reason: unknown) => reason)
    expect({ code: errorCode(failure), kind: classifyDeliveryError(failure).kind }).toEqual({
      code: 'EMAIL_REFUSED',
      kind: 'refused',
    })
  })

  test('refuse a wrong password, which ends it until there is another', { timeout: 30_000 }, async () => {
    const { platform } = await openBooth('email', { ...place(), env: { EMAIL_PASSWORD: 'guessed-secret' } })
    const failure: unknown = await platform.connect(new Ear()).catch((reason: unknown) => reason)
    expect({ code: errorCode(failure), kind: classifyDeliveryError(failure).kind }).toEqual({
      code: 'EMAIL_UNAUTHORIZED',
      kind: 'refused',
    })
    expect(String(failure)).not.toContain('guessed-secret')
  })

  test('take access tokens in place of a password, and a new one when one was withdrawn', {
    timeout: 30_000,
  }, async () => {
    const { config, env } = await tokens.open()
    const { platform, ear } = await connectedBooth('email', { config: { ...place().config, ...config }, env })
    await write(letter('with a token'))
    const { chatId } = await eventually('the mail', () => ear.received[0])
    tokens.withdraw()
    const marked = { chatId, text: 'Read <strong>this</strong>: <a href="https://x.example">x</a>', key: 'token' }
    const { messageId } = await platform.send(marked)
    const answer = await eventually('the answer', () =>
      servers.mails('ann').find((mail) => mail.header('message-id') === messageId),
    )
    expect(answer.header('content-type')).toMatch(/^multipart\/alternative/)
    expect(answer.raw).toContain('Read this: x (https://x.example)')
    expect(tokens.asked).toBe(2)
  })

  test('have no mailbox that is not there', { timeout: 30_000 }, async () => {
    const { platform } = await openBooth('email', place({ mailbox: 'Elsewhere' }))
    expect(await platform.connect(new Ear()).catch(errorCode)).toBe('EMAIL_MAILBOX')
  })

  test('are not believed without a certificate that is known', { timeout: 30_000 }, async () => {
    const { platform } = await openBooth('email', place({ tls_ca: '' }))
    const failure: unknown = await platform.connect(new Ear()).catch((reason: unknown) => reason)
    expect({ code: errorCode(failure), kind: classifyDeliveryError(failure).kind }).toEqual({
      code: 'EMAIL_CERTIFICATE',
      kind: 'refused',
    })
  })

  test('that go away are reported, and are used again when they are back', { timeout: 150_000 }, async () => {
    const { platform, ear } = await connectedBooth('email', place())
    await servers.stopDovecot()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1), SLOW)
    expect(await platform.probe()).toBe(false)
    expect(await platform.connect(ear).catch(errorCode)).toBe('EMAIL_UNREACHABLE')
    servers.startDovecot()
    await vi.waitFor(() => platform.connect(ear), { timeout: SLOW, interval: 300 })
    expect(await platform.probe()).toBe(true)
  })
})
