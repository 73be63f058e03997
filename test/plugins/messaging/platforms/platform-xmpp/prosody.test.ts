/** A real Prosody: rooms, archives, carbons, receipts and files. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { xml } from '@xmpp/client'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectedBooth, Ear, openBooth, type Place } from '../../../../support/platform-stage.ts'
import { missingProsody, PASSWORD, Prosody, ROOMS, XmppPerson } from '../../../../support/prosody.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const missing = missingProsody()
const why = missing ? ` (skipped: ${missing})` : ''
const LAB = `lab@${ROOMS}`
const EVENTUALLY = { timeout: 15_000 }
const RECEIPTS = 'urn:xmpp:receipts'

describe.skipIf(missing)(`a real Prosody${why}`, () => {
  let server: Prosody
  const accounts = Array.from({ length: 40 }, (_, at) => `svc${at}`)
  let used = 0
  beforeAll(async () => {
    server = await Prosody.start({ accounts: [...accounts, 'ada', 'bob'] })
  })
  afterAll(() => server?.stop())

  /** An account that no other test uses. */
  const place = (more: object = {}): Place & { readonly jid: string } => {
    const jid = `${accounts[used++]}@localhost`
    const config = { server: `127.0.0.1:${server.port}`, tls: 'optional', file_hosts: ['127.0.0.1'], ...more }
    return { jid, config, env: { XMPP_JID: jid, XMPP_PASSWORD: PASSWORD } }
  }
  const person = async (name: string, room?: string) => {
    const joined = await XmppPerson.join(server.port, name, room)
    onTestFinished(() => joined.leave())
    return joined
  }

  describe('and the contract of platforms', () => {
    const cases = platformContract(async () => {
      const where = place()
      const { platform, close } = await openBooth('xmpp', where)
      let ada: XmppPerson | undefined
      return {
        platform,
        join: async () => {
          const joined = await XmppPerson.join(server.port, 'ada')
          ada = joined
          const say = (text: string) => joined.say(where.jid, text)
          return { chatId: joined.jid, say, heard: () => joined.heard() }
        },
        async close() {
          await ada?.leave()
          await close()
        },
      }
    })
    for (const { name, run } of cases) test(name, run)
  })

  test('a person is answered, told that a message arrived if that is asked, and shown a mark', async () => {
    const ada = await person('ada')
    const where = place()
    const { platform, ear } = await connectedBooth('xmpp', where)
    await ada.say(where.jid, 'hello ✓ <b>&amp;', xml('request', { xmlns: RECEIPTS }))
    await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['hello ✓ <b>&amp;'])
    const [message] = ear.received
    expect(message).toMatchObject({ chatId: ada.jid, userId: ada.jid })
    const receipt = () => ada.messages.flatMap((each) => each.getChild('received', RECEIPTS)?.attrs['id'] ?? [])
    await expect.poll(receipt, EVENTUALLY).toEqual([message?.messageId])
    const { messageId = '' } = message ?? {}
    await platform.send({ chatId: ada.jid, text: 'a < b\u0000\ud800 & c', key: 'k', replyTo: messageId })
    await platform.react?.({ chatId: ada.jid, messageId, state: 'done', before: undefined })
    await expect.poll(() => ada.heard(), EVENTUALLY).toEqual(['a < b�� & c'])
    expect(ada.messages.some((each) => each.getChild('reply')?.attrs['id'] === messageId)).toBe(true)
    await expect.poll(() => ada.messages.some((each) => each.getChild('reactions')), EVENTUALLY).toBe(true)
  })

  test('in a room the account is addressed by its name; what it says is shown once, and found again by its key', async () => {
    const ada = await person('ada', LAB)
    const { platform, ear } = await connectedBooth('xmpp', place({ join: [LAB], nickname: 'Helper' }))
    await ada.say(LAB, 'among us')
    await ada.say(LAB, 'helper, what is the time?')
    await expect.poll(() => ear.texts, EVENTUALLY).toEqual(['among us', 'what is the time?'])
    expect(ear.received[0]).toMatchObject({ chatId: LAB, chatKind: 'group', userName: 'ada' })
    expect(ear.received.map(({ isMention }) => isMention)).toEqual([undefined, true])
    const message = { chatId: LAB, text: 'noon', key: 'k' }
    expect(await platform.find?.(message)).toBeUndefined()
    const receipt = await platform.send(message)
    expect(await platform.find?.(message)).toEqual(receipt)
    await expect.poll(() => ada.heard().filter((text) => text === 'noon'), EVENTUALLY).toHaveLength(1)
    expect(ear.texts).not.toContain('noon')
  })

  test('what is said while svc is away is read back with the ids that it has, alone and in the room', async () => {
    const room = `away@${ROOMS}`
    const [ada, bob] = [await person('ada', room), await person('bob')]
    const where = place({ join: [room] })
    await ada.say(room, 'before it came')
    const cursors = new Map<string, string>()
    const first = await connectedBooth('xmpp', { ...where, cursors })
    await bob.say(where.jid, 'one')
    await ada.say(room, 'two')
    await expect.poll(() => [...first.ear.texts].sort(), EVENTUALLY).toEqual(['one', 'two'])
    await first.close()
    await bob.say(where.jid, 'three')
    await ada.say(room, 'four')
    const second = await connectedBooth('xmpp', { ...where, cursors })
    await bob.say(where.jid, 'five')
    // Servers also bring what they stored for a person who was away: the gateway knows it by its id.
    const once = () => [...new Map(second.ear.received.map(({ messageId, text }) => [messageId, text])).values()].sort()
    await expect.poll(once, EVENTUALLY).toEqual(['five', 'four', 'three'])
    await second.close()
    const third = await connectedBooth('xmpp', { ...where, cursors })
    await bob.say(where.jid, 'six')
    await expect.poll(() => new Set(third.ear.texts), EVENTUALLY).toEqual(new Set(['six']))
  })

  test('a message whose answer was lost is found in the archive, and one that never left is not', async () => {
    const bob = await person('bob')
    const { platform } = await connectedBooth('xmpp', place())
    const message = { chatId: bob.jid, text: 'once', key: 'k1' }
    expect(await platform.find?.(message)).toBeUndefined()
    const { messageId } = await platform.send(message)
    expect(await platform.find?.(message)).toEqual({ messageId })
    expect(await platform.find?.({ ...message, key: 'k2' })).toBeUndefined()
    expect(platform.limits.idempotency).toBe('lookup')
  })

  test('what another device of the account is sent is heard, too; what looks like it and is not, is not', async () => {
    const ada = await person('ada')
    const where = place()
    const phone = await person(where.jid.split('@')[0] ?? '')
    const { ear } = await connectedBooth('xmpp', where)
    const device = phone.messages
    await ada.say(where.jid, 'to all devices')
    await expect.poll(() => ear.texts, EVENTUALLY).toContain('to all devices')
    expect(device.length).toBeGreaterThan(0)
    const inner = xml('message', { from: 'bob@localhost/x', to: where.jid, type: 'chat' }, xml('body', {}, 'forged'))
    const forwarded = xml('forwarded', { xmlns: 'urn:xmpp:forward:0' }, inner)
    await ada.send(xml('message', { to: where.jid }, xml('received', { xmlns: 'urn:xmpp:carbons:2' }, forwarded)))
    await phone.say(ada.jid, 'from my phone')
    await ada.say(where.jid, 'last')
    await expect.poll(() => ear.texts, EVENTUALLY).toContain('last')
    expect(new Set(ear.texts)).toEqual(new Set(['to all devices', 'last']))
  })

  test('a file goes through the upload service, and one that a person sent is fetched from there and nowhere else', async () => {
    const ada = await person('ada')
    const where = place()
    const { platform, ear } = await connectedBooth('xmpp', where)
    const bytes = Buffer.from('%PDF one')
    const file = { name: 'Größe 1.pdf', mediaType: 'application/pdf', kind: 'document' as const, size: bytes.length }
    await platform.send({ chatId: ada.jid, text: '', key: 'k', files: [{ ...file, bytes: async () => bytes }] })
    await expect.poll(() => ada.heard(), EVENTUALLY).toHaveLength(1)
    const [url = ''] = ada.heard()
    expect(await (await fetch(url)).text()).toBe('%PDF one')
    const address = (to: string) => xml('x', { xmlns: 'jabber:x:oob' }, xml('url', {}, to))
    await ada.say(where.jid, url, address(url))
    await ada.say(where.jid, 'look', address('http://169.254.169.254/secret'))
    await expect.poll(() => ear.received.map(({ text }) => text), EVENTUALLY).toEqual(['', 'look'])
    const [good, bad] = ear.received.map(({ files = [] }) => files[0])
    const options = { maxBytes: 1000, signal: new AbortController().signal }
    if (!good || !bad || !platform.fetch) throw new Error('no file came')
    expect(good.name).toBe('Größe 1.pdf')
    expect(Buffer.from(await platform.fetch(good, options)).toString()).toBe('%PDF one')
    await expect(platform.fetch(bad, options)).rejects.toMatchObject({ code: 'PLATFORM_MEDIA' })
    await expect(platform.fetch(good, { ...options, maxBytes: 3 })).rejects.toMatchObject({
      code: 'PLATFORM_FILE_LARGE',
    })
  })

  test('a person and a room that are not there refuse; a wrong password is final', async () => {
    const { platform } = await connectedBooth('xmpp', place())
    for (const chatId of ['unknown@localhost', `nowhere@${ROOMS}`, 'svc', 'a b@localhost', ''])
      await expect(platform.send({ chatId, text: 'hi', key: `to ${chatId}` })).rejects.toSatisfy(
        (error) => classifyDeliveryError(error).kind === 'refused',
      )
    const where = place()
    const wrong = await openBooth('xmpp', { ...where, env: { ...where.env, XMPP_PASSWORD: 'wrong' } })
    const error = await wrong.platform.connect(new Ear()).catch((thrown: unknown) => thrown)
    expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
    expect(String(error)).toContain('not-authorized')
  })

  test('a server that ends is told as lost once, and is connected to again', async () => {
    const own = await Prosody.start({ accounts: ['svc', 'ada'] })
    onTestFinished(() => own.stop())
    const config = { server: `127.0.0.1:${own.port}`, tls: 'optional' }
    const env = { XMPP_JID: 'svc@localhost', XMPP_PASSWORD: PASSWORD }
    const { platform, ear } = await connectedBooth('xmpp', { config, env })
    await own.restart()
    await expect.poll(() => ear.losses, EVENTUALLY).toHaveLength(1)
    expect(ear.losses[0]?.final).toBeUndefined()
    expect(await platform.probe()).toBe(false)
    await platform.connect(ear)
    expect(await platform.probe()).toBe(true)
  })

  test('the password is not sent without TLS unless that is said, nor to a certificate that cannot be verified', async () => {
    const where = place({ tls: 'required' })
    const plain = await openBooth('xmpp', where)
    await expect(plain.platform.connect(new Ear())).rejects.toThrow('does not offer TLS')
    const folder = temporaryFolder()
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
      { stdio: 'ignore' },
    )
    const own = await Prosody.start({ accounts: ['svc'], certificate: { key, certificate } })
    onTestFinished(() => own.stop())
    const config = { server: `127.0.0.1:${own.port}`, tls: 'required' }
    const { platform } = await openBooth('xmpp', {
      config,
      env: { XMPP_JID: 'svc@localhost', XMPP_PASSWORD: PASSWORD },
    })
    const error = await platform.connect(new Ear()).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('certificate')
    expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  })
})
