import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { platformContract } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { IrcPerson, missingNgircd, Ngircd } from '../../../../support/ngircd.ts'
import { connectedBooth, Ear, openBooth } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const missing = missingNgircd()
const why = missing ? ` (skipped: ${missing})` : ''

describe.skipIf(missing)(`a real ngIRCd${why}`, () => {
  let server: Ngircd
  let people = 0
  beforeAll(async () => {
    server = await Ngircd.start()
  })
  afterAll(() => server?.stop())

  const place = (more: object = {}) => {
    const nickname = `svc${++people}`
    return { config: { server: '127.0.0.1', port: server.port, tls: false, nickname, line_delay_ms: 0, ...more } }
  }
  const person = async (channel?: string) => {
    const somebody = await IrcPerson.join(server.port, `bob${++people}`, channel ? { channel } : {})
    onTestFinished(() => somebody.leave())
    return somebody
  }

  describe('and the contract of platforms', () => {
    const cases = platformContract(async () => {
      const where = place()
      const { platform, close } = await openBooth('irc', where)
      let somebody: IrcPerson | undefined
      return {
        platform,
        join: async () => {
          const nick = `carl${++people}`
          const bob = await IrcPerson.join(server.port, nick)
          somebody = bob
          const say = (text: string) => bob.write(`PRIVMSG ${where.config.nickname} :${text}`)
          return { chatId: `${nick}!~${nick}@127.0.0.1`, say, heard: () => bob.heard() }
        },
        async close() {
          somebody?.leave()
          await close()
        },
      }
    })
    for (const { name, run } of cases) test(name, run)
  })

  test('lets svc into a channel, where it is addressed and answers', async () => {
    const bob = await person('#team')
    const where = place({ join: ['#Team'] })
    const { platform, ear } = await connectedBooth('irc', where)
    bob.write(`PRIVMSG #team :${where.config.nickname}: good morning`)
    await vi.waitFor(() => expect(ear.received).toHaveLength(1), 10_000)
    const [message] = ear.received
    expect(message).toMatchObject({ chatId: '#team', text: 'good morning', isMention: true, userName: bob.nick })
    await platform.send({ chatId: '#team', text: 'good\nmorning', key: 'k' })
    await bob.sees(/PRIVMSG #team :morning$/)
    expect(bob.heard()).toEqual(['good', 'morning'])
  })

  test('shows a text of 400 bytes whole, and a longer line in pieces with nothing lost', async () => {
    const channel = `#${'long'.repeat(10)}`
    const bob = await person(channel)
    const { platform } = await connectedBooth('irc', place({ join: [channel] }))
    const text = `${'ä'.repeat(199)}!!`
    await platform.send({ chatId: channel, text, key: 'k' })
    await bob.sees(/!!$/)
    expect(bob.heard().join('')).toBe(text)
  })

  test('refuses what svc says to a channel where it is not, and to no one', async () => {
    await person('#closed-club')
    const { platform } = await connectedBooth('irc', place())
    for (const chatId of ['nobodyhere', '#does-not-exist']) {
      const error: unknown = await platform.send({ chatId, text: 'hi', key: 'k' }).catch((reason: unknown) => reason)
      expect({ code: errorCode(error), kind: classifyDeliveryError(error).kind }).toEqual({
        code: 'IRC_REFUSED',
        kind: 'refused',
      })
    }
    const gone: unknown = await platform
      .send({ chatId: 'ghost!~ghost@127.0.0.1', text: 'hi', key: 'k' })
      .catch((reason: unknown) => reason)
    expect(errorCode(gone)).toBe('IRC_ABSENT')
  })

  test('does not give svc a nickname that someone has, and gives it back when they leave', async () => {
    const where = place({ join: ['#names'] })
    const rival = await IrcPerson.join(server.port, where.config.nickname, { channel: '#names' })
    const { ear } = await connectedBooth('irc', where)
    const bob = await person('#names')
    bob.write('NAMES #names')
    await bob.sees(new RegExp(` 353 .*${where.config.nickname}_`))
    rival.leave()
    await bob.sees(new RegExp(`:${where.config.nickname}_!.* NICK :?${where.config.nickname}$`))
    bob.write(`PRIVMSG ${where.config.nickname} :welcome back`)
    await vi.waitFor(() => expect(ear.texts).toEqual(['welcome back']), 10_000)
  })

  test('kicks svc, which is said, and svc still answers in private', async () => {
    const bob = await person('#kicks')
    const where = place({ join: ['#kicks'] })
    const { platform } = await connectedBooth('irc', where)
    bob.write(`KICK #kicks ${where.config.nickname} :out`)
    await bob.sees(/ KICK #kicks /)
    await platform.send({ chatId: bob.nick, text: 'I am still here', key: 'k' })
    await bob.sees(/I am still here/)
  })

  test('answers CTCP VERSION of svc to anyone who asked, and svc never answers a notice', async () => {
    const bob = await person()
    const where = place()
    const { ear } = await connectedBooth('irc', where)
    const { nickname } = where.config
    bob.write(`NOTICE ${nickname} :hello?`, `PRIVMSG ${nickname} :\x01VERSION\x01`, `PRIVMSG ${nickname} :the end`)
    await bob.sees(/ NOTICE \S+ :\x01VERSION svc\x01$/)
    await vi.waitFor(() => expect(ear.texts).toEqual(['the end']), 10_000)
    expect(bob.heard()).toEqual([])
  })

  test('that goes down is reported, and svc connects again when it is back', async () => {
    const first = await Ngircd.start()
    const { platform, ear } = await connectedBooth('irc', {
      config: { server: '127.0.0.1', port: first.port, tls: false, nickname: 'svc' },
    })
    await first.stop()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1), 10_000)
    expect(await platform.probe()).toBe(false)
    await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'IRC_UNREACHABLE' })
  })

  test('with a password lets in who has it, and tells a wrong one apart from a server that is away', async () => {
    const guarded = await Ngircd.start({ password: 'open-sesame' })
    onTestFinished(() => guarded.stop())
    const config = { server: '127.0.0.1', port: guarded.port, tls: false, nickname: 'svc' }
    const { platform } = await connectedBooth('irc', { config, env: { IRC_SERVER_PASSWORD: 'open-sesame' } })
    expect(await platform.probe()).toBe(true)
    const { platform: other } = await openBooth('irc', { config, env: { IRC_SERVER_PASSWORD: 'guessed' } })
    const error: unknown = await other.connect(new Ear()).catch((reason: unknown) => reason)
    expect({ code: errorCode(error), kind: classifyDeliveryError(error).kind }).toEqual({
      code: 'IRC_UNAUTHORIZED',
      kind: 'refused',
    })
  })

  test('with TLS is believed when its certificate is known, and only then', async () => {
    const folder = temporaryFolder()
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', key, '-out', certificate]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
      stdio: 'ignore',
    })
    chmodSync(folder, 0o755)
    chmodSync(key, 0o644)
    const secure = await Ngircd.start({ certificate: { key, certificate } })
    onTestFinished(() => secure.stop())
    const config = { server: '127.0.0.1', port: secure.port, nickname: 'svc' }
    const { platform } = await connectedBooth('irc', { config: { ...config, tls_ca: certificate } })
    expect(await platform.probe()).toBe(true)
    const { platform: careful } = await openBooth('irc', { config })
    const error: unknown = await careful.connect(new Ear()).catch((reason: unknown) => reason)
    expect({ code: errorCode(error), kind: classifyDeliveryError(error).kind }).toEqual({
      code: 'IRC_CERTIFICATE',
      kind: 'refused',
    })
  })
})
