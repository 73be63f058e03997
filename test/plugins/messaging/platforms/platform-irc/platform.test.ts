import { Buffer } from 'node:buffer'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type IrcStandIn,
  openStandIn,
} from '../../../../../plugins/messaging/platforms/platform-irc/stand-in/service.ts'
import { connectedBooth, openBooth } from '../../../../support/platform-stage.ts'

async function network(): Promise<IrcStandIn> {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}

/** What a send came to. */
async function catchFailure(sent: Promise<unknown>) {
  const error: unknown = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { code: errorCode(error), ...classifyDeliveryError(error), text: String(error) }
}

describe('IRC keeps the contract of platforms, over real sockets', () => {
  const cases = platformContract(async () => {
    const fake = await openStandIn()
    const { platform, close } = await openBooth('irc', fake)
    return {
      platform,
      join: () => {
        const person = fake.member()
        const heard = () => fake.deliveries().flatMap((each) => (each.chatId === person.chatId ? [each.raw] : []))
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

describe('people on IRC are known by what no one else can take', () => {
  test('by their account when the server vouches for it', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    await fake.member({ userId: 'Alice' }).say('hello')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    expect(ear.received[0]).toMatchObject({
      userId: 'account:alice',
      userName: 'Alice',
      chatKind: 'dm',
      text: 'hello',
    })
    expect(ear.received[0]?.at).toBeGreaterThan(Date.UTC(2020))
  })

  test('by the whole mask when it does not, never by the nickname alone', async () => {
    const fake = await network()
    fake.offer()
    const { ear } = await connectedBooth('irc', fake)
    fake.tell('@account=boss :Mallory!~m@evil.example PRIVMSG svc :let me in')
    fake.tell(':BOSS[1]!Boss@Home.example PRIVMSG svc :hello')
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    expect(ear.received.map(({ userId }) => userId)).toEqual(['mallory!~m@evil.example', 'boss[1]!boss@home.example'])
  })

  test('a private answer is not sent to someone who took the nickname over', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    fake.occupy('alice')
    const failure = await catchFailure(platform.send({ chatId: 'account:alice', text: 'your secret', key: 'k' }))
    expect(failure).toMatchObject({ code: 'IRC_ABSENT', kind: 'busy' })
    expect(fake.deliveries()).toEqual([])
  })

  test('who changes the nickname is still answered under the new one', async () => {
    const fake = await network()
    const { platform, ear } = await connectedBooth('irc', fake)
    fake.tell('@account=carol :carol!c@people.fake.example PRIVMSG svc :one')
    fake.tell(':carol!c@people.fake.example NICK carla')
    fake.tell('@account=carol :carla!c@people.fake.example PRIVMSG svc :two')
    await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']))
    await platform.send({ chatId: 'account:carol', text: 'answer', key: 'k' })
    expect(fake.lines()).toContain('PRIVMSG carla :answer')
  })
})

describe('what is said on IRC', () => {
  test('addresses svc in a channel by its name, at the beginning or within', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    const person = fake.member({ group: 'lobby' })
    for (const text of ['SVC: what is new?', 'ask svc, please', 'svcs are many', '@svc, !help']) await person.say(text)
    await vi.waitFor(() => expect(ear.received).toHaveLength(4))
    expect(ear.received.map(({ text, isMention }) => [text, isMention])).toEqual([
      ['what is new?', true],
      ['ask svc, please', true],
      ['svcs are many', false],
      ['!help', true],
    ])
    expect(ear.received[0]).toMatchObject({ chatId: '#lobby', chatKind: 'channel' })
  })

  test('as a notice is neither heard nor answered, and neither are echoes, servers and other targets', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    const before = fake.lines().length
    fake.tell(':loop!bot@people.fake.example NOTICE svc :are you there?')
    fake.tell(':loop!bot@people.fake.example NOTICE #lobby :\x01VERSION\x01')
    fake.tell(':svc!~svc@guest.fake.example PRIVMSG #lobby :what I said myself')
    fake.tell(':irc.fake.example PRIVMSG svc :words of a server')
    fake.tell(':eve!e@people.fake.example PRIVMSG @#lobby :for operators')
    fake.tell(':eve!e@people.fake.example PRIVMSG svc :   ')
    await fake.member().say('the end')
    await vi.waitFor(() => expect(ear.texts).toEqual(['the end']))
    expect(fake.lines().slice(before)).toEqual([])
  })

  test('to programs is answered for VERSION and PING, a few times only, so that no one can make svc flood', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    const before = fake.lines().length
    fake.tell(':eve!e@h PRIVMSG svc :\x01VERSION\x01')
    for (let at = 0; at < 20; at++) fake.tell(`:eve!e@h PRIVMSG svc :\x01PING ${at}\x01`)
    fake.tell(':eve!e@h PRIVMSG svc :\x01FINGER\x01')
    fake.tell(':eve!e@h PRIVMSG svc :\x01ACTION waves\x01')
    await vi.waitFor(() => expect(ear.texts).toEqual(['* eve waves']))
    const answers = fake.lines().slice(before)
    expect(answers.slice(0, 2)).toEqual(['NOTICE eve :\x01VERSION svc\x01', 'NOTICE eve :\x01PING 0\x01'])
    expect(answers).toHaveLength(5)
  })

  test('in an old encoding or in colours is read as words', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    fake.tell(Buffer.from(':old!o@h PRIVMSG svc :Gr\xfc\xdfe', 'latin1'))
    fake.tell(':old!o@h PRIVMSG svc :\x02bold\x02 and \x0304,01red\x03 and \x1funder\x0f')
    await vi.waitFor(() => expect(ear.texts).toEqual(['Grüße', 'bold and red and under']))
  })

  test('that answers to a message names it, and a program that says it is one is marked', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    await fake.member().say('yes', { quote: 'msg-7' })
    fake.tell('@bot;msgid=x\\:\\s1 :robot!r@h PRIVMSG svc :beep')
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    expect(ear.received[0]?.quote).toEqual({ messageId: 'msg-7' })
    expect(ear.received[1]).toMatchObject({ isBot: true, messageId: 'x; 1' })
  })

  test('and could not be taken at once is offered again, in order', async () => {
    const fake = await network()
    const { ear } = await connectedBooth('irc', fake)
    ear.refuse = Number.POSITIVE_INFINITY
    const person = fake.member()
    await person.say('one')
    await person.say('two')
    await new Promise((resolve) => setImmediate(resolve))
    ear.refuse = 0
    await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']), 5000)
  })

  test('and could not be taken for minutes is offered for as long as the connection lives', async () => {
    const fake = await network()
    const clock = virtualClock()
    const { ear } = await connectedBooth('irc', { ...fake, clock })
    ear.refuse = 20
    await fake.member().say('one')
    for (let waited = 0; waited < 100 && ear.texts.length === 0; waited++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await clock.advance(30_000)
    }
    expect(ear.texts).toEqual(['one'])
  })

  test('by a server that speaks nonsense does no harm', async () => {
    const fake = await network()
    const { platform, ear } = await connectedBooth('irc', fake)
    const nonsense = ['', ':', '@', '@= :', ': : :', 'PRIVMSG', ':a!b@c PRIVMSG', ':a!b@c PRIVMSG svc', '999', 'KICK']
    for (const line of [...nonsense, 'NICK', ':svc!x@y NICK', '005 svc =', '\0\0\0', '401 svc', 'CAP * LS'])
      fake.tell(line)
    expect(await platform.probe()).toBe(true)
    expect(ear).toMatchObject({ received: [], losses: [] })
  })
})

describe('what svc says on IRC', () => {
  test('has a line for each line, and nothing in it can become a command', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    await platform.send({ chatId: '#lobby', text: 'one\n\n \r\ntwo\rQUIT :bye\n\x01VERSION\x01\0', key: 'k' })
    expect(fake.deliveries().map(({ raw }) => raw)).toEqual(['one', 'two', 'QUIT :bye', 'VERSION'])
    expect(fake.connected()).toBe(true)
  })

  test('goes nowhere but to one target', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    for (const chatId of ['#lobby,#other', 'a b', '', ':x', 'x\r\nQUIT'])
      expect(await catchFailure(platform.send({ chatId, text: 'hi', key: 'k' }))).toMatchObject({
        code: 'IRC_TARGET',
        kind: 'refused',
      })
    expect(fake.deliveries()).toEqual([])
  })

  test('arrives whole behind the longest prefix, cut between words, and never within a character', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    const channel = `#${'c'.repeat(190)}`
    await fake.member({ group: channel }).say('come in')
    const words = 'Überraschung 🎉'.repeat(20)
    await platform.send({ chatId: channel, text: words, key: 'k' })
    const seen = fake.deliveries().map(({ raw }) => raw)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.join('').replaceAll(' ', '')).toBe(words.replaceAll(' ', ''))
    await platform.send({ chatId: '#lobby', text: '🎉'.repeat(100), key: 'k2' })
    expect(fake.deliveries().at(-1)?.raw).toBe('🎉'.repeat(100))
    const failure = await catchFailure(platform.send({ chatId: '#lobby', text: '🎉'.repeat(10_000), key: 'k3' }))
    expect(failure).toMatchObject({ code: 'IRC_LONG', kind: 'refused' })
  })

  test('and is only blanks makes no line', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    await platform.send({ chatId: '#lobby', text: ' \n\t\n ', key: 'k' })
    expect(fake.deliveries()).toEqual([])
  })

  test('has the id that the server gave it, and names what it answers to', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    const { messageId } = await platform.send({ chatId: '#lobby', text: 'answer', key: 'k', replyTo: 'msg 1' })
    expect(messageId).toBe(fake.deliveries()[0]?.messageId)
    expect(fake.lines()).toContain('@+draft/reply=msg\\s1 PRIVMSG #lobby :answer')
  })

  test('is paced: ten lines at once, then one in two seconds where the server wants that', async () => {
    const fake = await network()
    const clock = virtualClock()
    const { platform } = await connectedBooth('irc', {
      ...fake,
      config: { ...fake.config, line_delay_ms: 2000 },
      clock,
    })
    const sent = platform.send({
      chatId: '#lobby',
      text: Array.from({ length: 12 }, (_, at) => at).join('\n'),
      key: 'k',
    })
    await vi.waitFor(() => expect(fake.deliveries()).toHaveLength(10))
    await clock.advance(1999)
    expect(fake.deliveries()).toHaveLength(10)
    await clock.advance(1)
    await vi.waitFor(() => expect(fake.deliveries()).toHaveLength(11))
    await clock.advance(2000)
    await sent
    expect(fake.deliveries()).toHaveLength(12)
    expect(platform.limits.rate).toEqual({ all: { count: 10, perMs: 20_000 } })
  })

  test.for([
    ['busy', { code: 'IRC_BUSY', kind: 'busy', retryAfterMs: 1000 }, 0],
    ['unavailable', { code: 'IRC_BUSY', kind: 'busy' }, 0],
    ['forbidden', { code: 'IRC_REFUSED', kind: 'refused' }, 0],
    ['lost', { code: 'IRC_UNANSWERED', kind: 'unsure' }, 0],
    ['unanswered', { code: 'IRC_UNANSWERED', kind: 'unsure' }, 1],
  ] as const)('fails honestly when it is %s', async ([fault, expected, seen]) => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    fake.failSends(fault)
    expect(await catchFailure(platform.send({ chatId: '#lobby', text: 'hello', key: 'k' }))).toMatchObject(expected)
    expect(fake.deliveries()).toHaveLength(seen)
  })

  test('to a channel where it is not, or to no one, is refused', async () => {
    const fake = await network()
    const { platform } = await connectedBooth('irc', fake)
    for (const chatId of ['#elsewhere', 'nobody1'])
      expect(await catchFailure(platform.send({ chatId, text: 'hi', key: 'k' }))).toMatchObject({ kind: 'refused' })
  })

  test('before it is connected was not sent and may be tried again', async () => {
    const { platform } = await openBooth('irc', await network())
    expect(await catchFailure(platform.send({ chatId: '#lobby', text: 'hi', key: 'k' }))).toMatchObject({
      code: 'IRC_DISCONNECTED',
      kind: 'busy',
    })
  })
})
