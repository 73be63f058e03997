import { expect, onTestFinished, test, vi } from 'vitest'
import { readLetter } from '../../../../../plugins/messaging/platforms/platform-email/mail-message.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { connectedBooth } from '../../../../support/platform-stage.ts'

const PATIENCE = { timeout: 10_000 }
const PROVEN = 'Authentication-Results: mx.fake.example; dmarc=pass header.from=people.example'

/** Who gets the answer to a mail with these headers, and what it says of it. */
async function answerTo(headers: readonly string[], config: object = {}) {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const { platform, ear } = await connectedBooth('email', { ...fake, config: { ...fake.config, ...config } })
  fake.arrive({
    headers: ['From: Ann <ann@people.example>', 'Message-ID: <first@people.example>', ...headers],
    text: 'hi',
  })
  await vi.waitFor(() => expect(ear.received).toHaveLength(1), PATIENCE)
  const { chatId, threadId = '' } = ear.received[0] ?? { chatId: '' }
  await platform.send({ chatId, threadId, text: 'one', key: '1' })
  await platform.send({ chatId, threadId, text: 'two', key: '2' })
  const heads = fake.sent().map((mail) => mail.split('\r\n').filter((line) => /^(To|Cc|Bcc):/i.test(line)))
  expect(fake.envelopes()[1]).toEqual(fake.envelopes()[0])
  return { envelope: fake.envelopes()[0], head: heads[0] }
}

test('an answer goes where the sender wants it', async () => {
  const { envelope, head } = await answerTo([PROVEN, 'To: svc@fake.example', 'Reply-To: "Team" <Team@people.example>'])
  expect(envelope).toEqual(['team@people.example'])
  expect(head).toEqual(['To: team@people.example'])
})

test('anyone who sends svc a copy is answered before all whom the mail went to', async () => {
  const headers = [
    PROVEN,
    'To: Bob <bob@people.example>',
    'Cc: svc@fake.example, carol@people.example, BOB@people.example',
  ]
  const { envelope, head } = await answerTo(headers)
  expect(envelope).toEqual(['ann@people.example', 'bob@people.example', 'carol@people.example'])
  expect(head).toEqual(['To: ann@people.example', 'Cc: bob@people.example, carol@people.example'])
})

test.for([
  ['svc is asked itself', [PROVEN, 'To: svc@fake.example', 'Cc: bob@people.example'], {}],
  ['it is set so', [PROVEN, 'To: bob@people.example', 'Cc: svc@fake.example'], { reply_all: false }],
  ['nothing proves who wrote it', ['To: bob@x.example', 'Cc: svc@fake.example', 'Reply-To: eve@x.example'], {}],
  ['the other address is no single one', [PROVEN, 'To: svc@fake.example', 'Reply-To: a@b.example, c@d.example'], {}],
  ['the other address is that of svc', [PROVEN, 'To: svc@fake.example', 'Reply-To: svc@fake.example'], {}],
] as const)('only the sender is answered when %s', async ([, headers, config]) => {
  expect((await answerTo(headers, config)).envelope).toEqual(['ann@people.example'])
})

const server = { host: 'h', port: 1, security: 'tls' } as const
const account = {
  ...{ address: 'svc@x.example', displayName: '', login: '', password: 'p', imap: server, smtp: server, tlsCa: '' },
  ...{
    mailbox: 'INBOX',
    authservId: 'mx',
    trustFrom: true,
    replyAll: true,
    replyTo: '',
    isHtml: true,
    tokens: undefined,
    missingTokens: undefined,
  },
}
const readText = async (source: Buffer) => {
  const mail = { uid: 1, source, files: [], arrivedAt: undefined }
  const letter = await readLetter(mail, { account, validity: '1', known: () => undefined })
  return typeof letter === 'string' ? letter : letter.message.text
}
const latin = (...lines: readonly string[]) => Buffer.from(['From: a@b.example', ...lines].join('\r\n'), 'latin1')

test.for([
  ['without a type', latin('Subject: caf\xe9', '', '\x93smart\x94 \x80 \xfc'), 'café\n\n“smart” € ü'],
  ['without a charset', latin('Content-Type: text/plain; format=flowed', '', '\x93smart\x94'), '“smart”'],
  ['with the wrong one', latin('Content-Type: text/plain; charset=iso-8859-1', '', '\x93smart\x94 \xe4'), '“smart” ä'],
  ['in HTML', latin('Content-Type: text/html', '', '<p>\x93smart\x94</p>'), '“smart”'],
  [
    'in a part',
    latin(
      ...['Content-Type: multipart/alternative;', ' boundary=x', '', '--x', 'Content-Type: text/plain', ''],
      ...['na\xefve', '--x--', ''],
    ),
    'naïve',
  ],
  [
    'in quoted-printable',
    latin('Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable', '', '=93smart=94'),
    '“smart”',
  ],
  ['as UTF-8, which needs no guess', Buffer.from('From: a@b.example\r\n\r\n“smart” ü'), '“smart” ü'],
] as const)('letters of Windows are read %s', async ([, source, words]) => {
  expect(await readText(source)).toBe(words)
})
