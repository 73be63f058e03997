import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAddress, type MailAccount } from '../../../../../plugins/messaging/platforms/platform-email/account.ts'
import { automaticReason } from '../../../../../plugins/messaging/platforms/platform-email/automatic.ts'
import { extractWords, withoutHistory } from '../../../../../plugins/messaging/platforms/platform-email/body-text.ts'
import { fromHtml } from '../../../../../plugins/messaging/platforms/platform-email/html.ts'
import { isProven, parseResults } from '../../../../../plugins/messaging/platforms/platform-email/sender.ts'
import { cpuMs } from '../../../../support/cpu-time.ts'

const server = { host: 'h', port: 1, security: 'tls' } as const
const account: MailAccount = {
  ...{ address: 'svc@x.example', displayName: '', login: '', password: 'p', imap: server, smtp: server, tlsCa: '' },
  ...{
    mailbox: 'INBOX',
    authservId: 'MX.x.example',
    trustFrom: false,
    replyAll: true,
    replyTo: '',
    isHtml: true,
    tokens: undefined,
    missingTokens: undefined,
  },
}
const proven = (...results: readonly string[]) =>
  isProven(
    'ann@mail.people.example',
    results.map((value) => ({ key: 'authentication-results', value })),
    account,
  )

describe('a sender is proven', () => {
  test.for([
    ['by DMARC', 'mx.x.example; dmarc=pass (p=reject) header.from=mail.people.example'],
    ['by DMARC without the domain', 'mx.x.example 1; dmarc = pass'],
    ['by a signature of the domain', 'mx.x.example; spf=fail; dkim=pass header.d=MAIL.people.example header.s=k'],
    ['by a signature of the domain above', 'mx.x.example; dkim=pass header.i=@people.example'],
    ['by the envelope of the same domain', 'mx.x.example; spf=pass smtp.mailfrom=bounce@mail.people.example'],
    [
      'behind comments and quotes',
      'mx.x.example (a (nested; dmarc=fail) one); dmarc=pass header.from="mail.people.example"',
    ],
  ] as const)('%s', ([, header]) => {
    expect(proven(header)).toBe(true)
  })
})

describe('a sender is not proven', () => {
  test.for([
    ['without the header'],
    ['by another server', 'mx.evil.example; dmarc=pass'],
    ['by a server with a longer name', 'mx.x.example.evil; dmarc=pass'],
    ['by what stands in a comment', 'mx.x.example; spf=fail (dmarc=pass; dkim=pass header.d=people.example)'],
    ['by what stands in quotes', 'mx.x.example; spf=fail reason="; dmarc=pass header.from=mail.people.example"'],
    ['by a later header, when the first says no', 'mx.x.example; dmarc=fail', 'mx.x.example; dmarc=pass'],
    ['against DMARC', 'mx.x.example; dmarc=fail; dkim=pass header.d=people.example'],
    ['for another domain', 'mx.x.example; dmarc=pass header.from=other.example'],
    ['by a signature of somebody else', 'mx.x.example; dkim=pass header.d=newsletter.example'],
    ['by a signature of a neighbour', 'mx.x.example; dkim=pass header.d=shop.people.example'],
    ['by a signature of the top', 'mx.x.example; dkim=pass header.d=example'],
    ['by an ending that looks alike', 'mx.x.example; dkim=pass header.d=ople.example'],
    ['by an envelope of somebody else', 'mx.x.example; spf=pass smtp.mailfrom=other.example'],
    ['by a method that passed nothing', 'mx.x.example; dmarc=passed; dkim=none; spf=neutral'],
    ['by no result', 'mx.x.example; none'],
  ] as const)('%s', ([, ...headers]) => {
    expect(proven(...headers)).toBe(false)
  })

  test('when no server is named that is believed', () => {
    const nobody = { ...account, authservId: '' }
    expect(isProven('a@b.example', [{ key: 'authentication-results', value: '; dmarc=pass' }], nobody)).toBe(false)
  })

  test('whatever the header holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'mx.x;=()"\\ dmarcps'), maxLength: 60 }), (text) => {
        const { results } = parseResults(text)
        expect(results.every(({ method, result }) => method !== '' && result !== '')).toBe(true)
      }),
    )
  })
})

test('an address is one address and nothing else', () => {
  for (const address of ['a@b.example', 'a.b+c@x-y.example', 'ü@bücher.example']) expect(isAddress(address)).toBe(true)
  for (const text of ['', 'a', '@', 'a@', '@b', 'a@b@c', 'a@b,c@d', 'a@b\nc', 'a b@c', '<a@b>', '"a"@b'])
    expect(isAddress(text)).toBe(false)
})

test('mail of people is told from mail of programs', () => {
  const reason = (address: string, ...headers: readonly (readonly [string, string])[]) =>
    automaticReason(
      address,
      headers.map(([key, value]) => ({ key, value })),
    )
  expect(reason('ann@x.example', ['auto-submitted', 'no'], ['precedence', 'first-class'])).toBeUndefined()
  expect(reason('noriko@x.example')).toBeUndefined()
  expect(reason('ann@x.example', ['auto-submitted', 'Auto-Generated; x=y'])).toBe('Auto-Submitted: auto-generated')
  for (const address of ['no-reply@x', 'noreply+1@x', 'do_not_reply@x', 'bounce-123@x', 'postmaster@x'])
    expect(reason(address)).toBe('an address that is not read')
})

describe('mail of a program gives itself away', () => {
  test.for([
    ['precedence', 'auto_reply'],
    ['precedence', 'Bulk'],
    ['x-auto-response-suppress', 'All'],
    ['x-auto-response-suppress', 'DR, OOF, AutoReply'],
    ['list-unsubscribe', '<https://news.example/leave>'],
    ['list-unsubscribe-post', 'List-Unsubscribe=One-Click'],
  ] as const)('by %s: %s', ([key, value]) => {
    expect(automaticReason('ann@x.example', [{ key, value }])).toBeDefined()
  })

  test.for([
    ['Automatic reply: Re: How are you?'],
    ['Automatic Reply'],
    ['Auto-Reply: away'],
    ['Out of office: back on Monday'],
    ['Out of Office AutoReply: How are you?'],
    ['Automatische Antwort: Frage'],
    ['Abwesenheitsnotiz: Frage'],
    ['R\u00e9ponse automatique : question'],
    ['Re\u0301ponse automatique : question'],
    ['Respuesta automática: pregunta'],
    ['Risposta automatica: domanda'],
    ['Resposta automática: pergunta'],
    ['Automatisch antwoord: vraag'],
    ['Автоматический ответ: вопрос'],
    ['自动答复: 问题'],
    ['自動返信：質問'],
  ] as const)('by its subject: %s', ([subject]) => {
    expect(automaticReason('ann@x.example', [], subject)).toBe('the subject of an automatic reply')
  })

  test.for([
    ['Re: Automatic reply: what do I write there?'],
    ['Out of office'],
    ['Auto: neue Reifen'],
    ['Automatic replying of mails: how?'],
    [''],
  ] as const)('and people who write about it do not: %s', ([subject]) => {
    const receipts = { key: 'x-auto-response-suppress', value: 'DR, RN, NRN' }
    expect(automaticReason('ann@x.example', [receipts], subject)).toBeUndefined()
  })
})

test.for([
  ['Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, svc <svc@x.example> wrote:\n> Really?\n>\n> svc\n', 'Yes.'],
  ['Ja.\n\nAm 1. Januar 2026 um 10:00 schrieb svc\n<svc@x.example>:\n\n> Wirklich?\n', 'Ja.'],
  ['Oui.\n\nLe lun. 1 janv. 2026, svc a écrit :\n> Vraiment ?', 'Oui.'],
  ['Yes.\n\n-----Original Message-----\nFrom: svc\nSubject: x\n\nReally?', 'Yes.'],
  ['Yes.\n________________________________\nFrom: svc\nSent: Monday\n\nReally?', 'Yes.'],
  ['Yes.\n\n-- \nAnn\nPeople Ltd.', 'Yes.'],
  ['Yes.\n> quoted\n> lines\n', 'Yes.'],
  ['> Really?\nYes.\n> Sure?\nVery.', '> Really?\nYes.\n> Sure?\nVery.'],
  ['On reflection I wrote:\nthis is mine', 'On reflection I wrote:\nthis is mine'],
  ['> only quoted', ''],
] as const)('what was quoted is left out of %j', ([text, words]) => {
  expect(withoutHistory(text)).toBe(words)
})

test('a page becomes its words', () => {
  const html = `<html><head><title>t</title><style>p{}</style></head><body><p>Hello&nbsp;<b>you</b> &amp; me &#8364;&#x21;</p>
    <ul><li>one</li><li>two</li></ul><script>alert(1)</script><!-- no --><div>end<br>line</div>
    <blockquote>what was said before</blockquote></body></html>`
  expect(fromHtml(html)).toBe('Hello you & me €!\n\n- one\n- two\nend\nline')
  expect(extractWords({ html: '<p>answer</p><div class="gmail_quote">On Monday, x wrote:<br>old</div>' })).toBe(
    'answer',
  )
  expect(extractWords({ text: ' \n', html: '<p>html</p>' })).toBe('html')
})

test('no text takes long or breaks the reading of it', () => {
  for (const text of [
    'On '.repeat(50_000),
    '<'.repeat(100_000),
    '>'.repeat(100_000),
    'On a\n'.repeat(20_000),
    '&#'.repeat(50_000),
  ]) {
    const took = cpuMs(() => {
      extractWords({ text })
      extractWords({ html: text })
    })
    expect(took).toBeLessThan(5000)
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(withoutHistory(text).length).toBeLessThanOrEqual(text.length)
      expect(fromHtml(text)).not.toMatch(/<[a-z][^>]*>/i)
    }),
  )
  expect(extractWords({ text: 'x'.repeat(300_000) })).toMatch(/^x{200000}\n\[the rest was cut off\]$/)
})
