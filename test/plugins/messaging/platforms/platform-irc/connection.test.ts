import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type IrcStandIn,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-irc/stand-in/service.ts'
import { connectedBooth, Ear, openBooth, type Place } from '../../../../support/platform-stage.ts'

async function network(): Promise<IrcStandIn> {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}

/** A server that says what it likes. */
async function serverThat(talk: (socket: Socket, line: string) => void): Promise<Place> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => socket.destroy())
    socket.on('data', (text: string) => {
      for (const line of text.split('\r\n')) if (line) talk(socket, line)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { config: { server: '127.0.0.1', port, tls: false, nickname: 'svc' } }
}

async function catchRefusal(place: Place) {
  const { platform } = await openBooth('irc', place)
  const error: unknown = await platform.connect(new Ear()).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { code: errorCode(error), kind: classifyDeliveryError(error).kind, text: String(error) }
}

test('svc registers with capabilities and SASL, and joins its channels', async () => {
  const fake = await network()
  await connectedBooth('irc', fake)
  expect(fake.lines().filter((line) => !line.startsWith('PING'))).toEqual([
    'CAP LS 302',
    'PASS :irc-fake-password',
    'NICK svc',
    'USER svc 0 * :svc',
    'CAP REQ :message-tags account-tag server-time echo-message sasl batch draft/chathistory',
    'AUTHENTICATE PLAIN',
    `AUTHENTICATE ${Buffer.from('svc\0svc\0irc-fake-account').toString('base64')}`,
    'CAP END',
    'USERHOST svc',
    'JOIN #lobby',
  ])
})

test('a server that knows no capabilities is spoken to as in 1993, and NickServ gets the password', async () => {
  const fake = await network()
  fake.offer()
  const { platform } = await connectedBooth('irc', { ...fake, config: { ...fake.config, account: 'bot' } })
  expect(fake.lines()).toContain('PRIVMSG NickServ :IDENTIFY bot irc-fake-account')
  const { messageId } = await platform.send({ chatId: '#lobby', text: 'hello', key: 'k', replyTo: 'x' })
  expect(messageId).toMatch(/^local-/)
  expect(fake.lines()).toContain('PRIVMSG #lobby :hello')
})

test('the environment goes before the configuration', async () => {
  const fake = await network()
  const env = { ...fake.env, IRC_NICKNAME: 'other', IRC_CHANNEL: '#a, #b key', IRC_USE_TLS: 'no' }
  const place = { ...fake, env, config: { ...fake.config, tls: true, account: 'svc' } }
  const { platform } = await connectedBooth('irc', place)
  expect(fake.lines()).toEqual(expect.arrayContaining(['NICK other', 'JOIN #a', 'JOIN #b key']))
  expect(platform.account?.()).toMatch(/^127\.0\.0\.1:\d+\/other$/)
})

test('what is missing is said before anything is opened', async () => {
  const said = async (config: object, env: Record<string, string> = {}) => {
    const { platform } = await openBooth('irc', { config: { ...config }, env })
    return platform.missing?.()
  }
  expect(await said({})).toMatch(/IRC_SERVER/)
  expect(await said({ server: 'irc.example.org' })).toMatch(/IRC_NICKNAME/)
  expect(await said({ server: 'irc.example.org', nickname: 'two words' })).toMatch(/cannot be a nickname/)
  expect(await said({ server: 'irc.example.org', nickname: 'svc' }, { IRC_PORT: 'ssl' })).toMatch(/IRC_PORT/)
  expect(await said({ server: 'irc.example.org', nickname: 'svc', join: ['lobby'] })).toMatch(/IRC_CHANNEL/)
  expect(await said({ server: 'irc.example.org', nickname: 'svc', join: ['#lobby key'] })).toBeUndefined()
})

test('a nickname that is taken gets an underscore, and is taken back once it is free', async () => {
  const fake = await network()
  fake.occupy('svc')
  const clock = virtualClock()
  const { platform, ear } = await connectedBooth('irc', { ...fake, clock })
  expect(fake.nick()).toBe('svc_')
  await clock.advance(60_000)
  await platform.probe()
  expect(fake.nick()).toBe('svc_')
  fake.vacate('svc')
  fake.tell(':svc!other@people.fake.example QUIT :gone')
  await vi.waitFor(() => expect(fake.nick()).toBe('svc'))
  await fake.member().say('hello')
  await vi.waitFor(() => expect(ear.texts).toEqual(['hello']))
})

test('two gateways with one nickname do not fight for it', async () => {
  const fake = await network()
  await connectedBooth('irc', fake)
  const clock = virtualClock()
  await connectedBooth('irc', { ...fake, clock })
  await clock.advance(600_000)
  expect(fake.lines().filter((line) => line === 'NICK svc_')).toHaveLength(1)
  expect(fake.lines().filter((line) => /GHOST|REGAIN|RECOVER/.test(line))).toEqual([])
})

test('a wrong password ends it until someone sets the right one', async () => {
  const fake = await network()
  const env = { ...fake.env, IRC_SERVER_PASSWORD: 'wrong' }
  expect(await catchRefusal({ ...fake, env })).toMatchObject({ code: 'IRC_UNAUTHORIZED', kind: 'refused' })
})

test('so does a wrong password of the account, which no message shows', async () => {
  const fake = await network()
  const env = { ...fake.env, IRC_NICKSERV_PASSWORD: 'wrong-account-password' }
  const refusal = await catchRefusal({ ...fake, env })
  expect(refusal).toMatchObject({ code: 'IRC_UNAUTHORIZED', kind: 'refused' })
  expect(refusal.text).not.toContain('wrong-account-password')
})

test('a ban and a nickname that is never taken end it too', async () => {
  const banned = await serverThat((socket) => socket.write(':s 465 * :You are banned\r\nERROR :Closing Link\r\n'))
  expect(await catchRefusal(banned)).toMatchObject({ code: 'IRC_BANNED', kind: 'refused' })
  const strange = await serverThat((socket) => socket.write(':s 432 * svc :Erroneous nickname\r\n'))
  expect(await catchRefusal(strange)).toMatchObject({ code: 'IRC_NICKNAME', kind: 'refused' })
  const full = await serverThat((socket, line) => {
    if (line.startsWith('NICK')) socket.write(':s 433 * svc :Nickname is already in use\r\n')
  })
  expect(await catchRefusal(full)).toMatchObject({ code: 'IRC_NICKNAME', kind: 'refused' })
})

test('a server that is away, or says no for now, is tried again', async () => {
  const away = { config: { server: '127.0.0.1', port: 1, tls: false, nickname: 'svc' } }
  expect(await catchRefusal(away)).toMatchObject({ code: 'IRC_UNREACHABLE', kind: 'unsure' })
  const full = await serverThat((socket) => socket.end('ERROR :Too many connections\r\n'))
  expect(await catchRefusal(full)).toMatchObject({ code: 'IRC_UNREACHABLE', kind: 'unsure' })
  const rude = await serverThat((socket) => socket.destroy())
  expect(await catchRefusal(rude)).toMatchObject({ code: 'IRC_UNREACHABLE', kind: 'unsure' })
})

test('a server that lets svc in and ends it at once has never been connected', async () => {
  const place = await serverThat((socket, line) => {
    if (line.startsWith('USER ')) socket.end(':s 001 svc :welcome\r\nERROR :restarting\r\n')
  })
  const { platform } = await openBooth('irc', place)
  const ear = new Ear()
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'IRC_UNREACHABLE' })
  expect(ear.losses).toEqual([])
  expect(await platform.probe()).toBe(false)
})

test('a server that never answers is given up after a minute', async () => {
  const clock = virtualClock()
  let asked = 0
  const place = await serverThat(() => asked++)
  const { platform } = await openBooth('irc', { ...place, clock })
  const refused = expect(platform.connect(new Ear())).rejects.toThrow(/did not answer in a minute/)
  await vi.waitFor(() => expect(asked).toBeGreaterThan(0))
  await clock.advance(60_000)
  await refused
})

test('a server without TLS on the port for it is named as the fault', async () => {
  const fake = await network()
  const refusal = await catchRefusal({ ...fake, config: { ...fake.config, tls: true } })
  expect(refusal.code).toBe('IRC_UNREACHABLE')
})

test('a line without an end does not fill the memory', async () => {
  const fake = await network()
  const { ear } = await connectedBooth('irc', fake)
  fake.tell('x'.repeat(1_000_000))
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]?.reason).toContain('without an end')
})

test('a connection that breaks is reported once, and not after it was closed', async () => {
  const fake = await network()
  const { platform, ear } = await connectedBooth('irc', fake)
  fake.disturb('flap')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(await platform.probe()).toBe(false)
  await platform.connect(ear)
  expect(await platform.probe()).toBe(true)
  await platform.close()
  expect(ear.losses).toHaveLength(1)
})

test('words of the server are in the reason when it ends the connection', async () => {
  const fake = await network()
  const { ear } = await connectedBooth('irc', fake)
  fake.tell('ERROR :Closing Link: svc (Killed by an operator)')
  await vi.waitFor(() => expect(ear.losses.map(({ reason }) => reason).join()).toContain('Killed by an operator'))
})

test('an account that is shut out is refused at the next connection', async () => {
  const fake = await network()
  const { platform, ear } = await connectedBooth('irc', fake)
  fake.disturb('logout')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'IRC_UNAUTHORIZED' })
  fake.calm()
  await platform.connect(ear)
})

test('a probe notices silence, and PING of the server is answered', async () => {
  const fake = await network()
  const clock = virtualClock()
  const { platform, ear } = await connectedBooth('irc', { ...fake, clock })
  fake.tell('PING :are you there')
  await vi.waitFor(() => expect(fake.lines()).toContain('PONG :are you there'))
  expect(ear.lives).toBeGreaterThan(0)
  fake.disturb('silence')
  const probe = platform.probe()
  await clock.advance(10_000)
  expect(await probe).toBe(false)
  fake.calm()
  expect(await platform.probe()).toBe(true)
})

test('who is kicked comes back after a while, and each time later', async () => {
  const fake = await network()
  const clock = virtualClock()
  await connectedBooth('irc', { ...fake, clock })
  const joins = () => fake.lines().filter((line) => line === 'JOIN #lobby').length
  const kick = async () => {
    const lines = fake.lines().length
    fake.tell(':op!o@h KICK #LOBBY svc :out')
    fake.tell('PING :kicked')
    await vi.waitFor(() => expect(fake.lines().length).toBeGreaterThan(lines))
  }
  await kick()
  await clock.advance(9999)
  expect(joins()).toBe(1)
  await clock.advance(1)
  await vi.waitFor(() => expect(joins()).toBe(2))
  await kick()
  await clock.advance(10_000)
  expect(joins()).toBe(2)
  await clock.advance(10_000)
  await vi.waitFor(() => expect(joins()).toBe(3))
  fake.tell(':op!o@h KICK #lobby somebody :out')
  fake.tell(':op!o@h KICK #never svc :out')
  await clock.advance(1_000_000)
  expect(joins()).toBe(3)
})

test('a channel that cannot be joined does not keep svc from the others, and is tried a few times more', async () => {
  const fake = await network()
  const config = { ...fake.config, join: ['#closed', '#lobby'] }
  const clock = virtualClock()
  const { platform, ear } = await connectedBooth('irc', { ...fake, config, clock })
  await fake.member({ group: 'lobby' }).say('hello')
  await vi.waitFor(() => expect(ear.texts).toEqual(['hello']))
  for (let round = 0; round < 10; round++) {
    await clock.advance(1_000_000)
    await platform.probe()
  }
  expect(fake.lines().filter((line) => line === 'JOIN #closed')).toHaveLength(7)
})

test('a message that is delivered twice keeps its id, by which the gateway knows it', async () => {
  const fake = await network()
  const { ear } = await connectedBooth('irc', fake)
  fake.disturb('twice')
  await fake.member().say('hello')
  await vi.waitFor(() => expect(ear.received).toHaveLength(2))
  expect(new Set(ear.received.map(({ messageId }) => messageId)).size).toBe(1)
})
