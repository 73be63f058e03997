/** Where people reach each built-in platform from a phone: a public address without a secret, with and without a connection. */
import { SvcError } from 'svc/sdk'
import { isContact } from 'svc/sdk/kit/net'
import { describe, expect, test } from 'vitest'
import { createStages } from '../support/platform-stage.ts'
import { manifests } from '../support/repository.ts'
import { standInCases } from '../support/stand-ins.ts'

/** By the case of the stand-in. The others have no address of which a public document says that a phone opens it. */
const CONTACTS: Readonly<Record<string, string | RegExp>> = {
  discord:
    /^https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+&scope=bot\+applications\.commands&permissions=\d+$/,
  email: /^mailto:[^@]+@[^@]+$/,
  feishu: /^https:\/\/applink\.feishu\.cn\/client\/bot\/open\?appId=cli_\w+$/,
  'feishu-connection': /^https:\/\/applink\.feishu\.cn\/client\/bot\/open\?appId=cli_\w+$/,
  irc: /^irc:\/\/127\.0\.0\.1:\d+\/svc,isnick$/,
  line: 'https://line.me/R/ti/p/%40svc',
  matrix: 'https://matrix.to/#/%40svc%3Aexample.org',
  nostr: /^nostr:npub1[02-9ac-hj-np-z]{58}$/,
  ntfy: /^ntfy:\/\/127\.0\.0\.1:\d+\/svc-talk\?secure=false$/,
  signal: 'https://signal.me/#p/+15550100',
  simplex: 'https://smp.example.com/a#svcaddress',
  slack: 'slack://user?team=T1&id=UBOT',
  sms: 'sms:+15550100000',
  'sms-plivo': 'sms:+15550100000',
  'sms-telnyx': 'sms:+15550100000',
  'sms-vonage': 'sms:+15550100000',
  teams: /^https:\/\/teams\.microsoft\.com\/l\/chat\/0\/0\?users=28:[0-9a-f-]{36}$/,
  telegram: 'https://t.me/svc_test_bot',
  viber: 'viber://pa?chatURI=svcbot',
  whatsapp: 'https://wa.me/15550100000',
  xmpp: /^xmpp:svc-[0-9a-f]{8}@xmpp\.example\.com$/,
}

/** Asked over the connection that stands; a second one would take its events. */
const NEEDS_CONNECTION = ['simplex']

const secretNames = new Set(
  manifests().flatMap(({ env = [] }) => env.flatMap(({ name, secret }) => (secret === true ? [name] : []))),
)

describe.for(standInCases)('the contact of $label', ({ label, platform: name, open }) => {
  test('is the address that its service documents, and is known before it is connected', async () => {
    const { platform, ear, fake } = await createStages(name, open).stage()
    const early = await platform.contact?.()
    expect(early).toEqual(NEEDS_CONNECTION.includes(name) ? undefined : known(label))
    expect(await platform.probe()).toBe(false)
    await platform.connect(ear)
    const contact = await platform.contact?.()
    expect(contact).toEqual(known(label))
    expect(ear.received).toEqual([])
    if (contact === undefined) return
    expect(isContact(contact)).toBe(true)
    const secrets = Object.entries(fake.env).filter(([variable, value]) => secretNames.has(variable) && value !== '')
    for (const [variable, value] of secrets) {
      expect(contact, variable).not.toContain(value)
      expect(decodeURIComponent(contact), variable).not.toContain(value)
    }
  })

  test('does not depend on the account, or says why the account is refused', async () => {
    const { platform, fake } = await createStages(name, open).stage()
    if (fake.lineFaults.includes('logout')) fake.disturb('logout')
    const said: unknown = await platform.contact?.().catch((error: unknown) => error)
    if (said instanceof Error) expect(said).toBeInstanceOf(SvcError)
    else expect(said).toEqual(NEEDS_CONNECTION.includes(name) ? undefined : known(label))
  })
})

test('a contact is a URL that neither runs nor reads anything', () => {
  for (const text of ['https://t.me/bot', 'mailto:a@example.org', 'sms:+15550100', 'xmpp:a@b', 'viber://pa?chatURI=x'])
    expect(isContact(text), text).toBe(true)
  const odd = ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'blob:x', 'about:blank']
  const none = ['', 'bot', 't.me/bot', 'https://', 'https://a b', 'https://a\u001b[2J', ' https://a', 'HTTPS://a']
  for (const text of [...odd, ...none, `https://a/${'x'.repeat(1000)}`]) expect(isContact(text), text).toBe(false)
})

/** Undefined where none is expected. */
function known(label: string): unknown {
  const contact = CONTACTS[label]
  return contact instanceof RegExp ? expect.stringMatching(contact) : contact
}
