import { MessageFormatter, Outbox } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-irc/stand-in/service.ts'
import { connectedBooth } from '../../../../support/platform-stage.ts'

const PATIENCE = { timeout: 10_000 }

async function network() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}
type Network = Awaited<ReturnType<typeof network>>

const MASK = 'dora!dora@people.fake.example'
const lookups = (fake: Network) => fake.lines().filter((line) => /^(WHOIS|USERHOST (?!svc))/.test(line))

test('anyone who wrote right before svc was started again is answered without being looked up', async () => {
  const fake = await network()
  const cursors = new Map<string, string>()
  const clock = virtualClock()
  const first = await connectedBooth('irc', { ...fake, clock, cursors })
  fake.tell(`:${MASK} PRIVMSG svc :hello`)
  await vi.waitFor(() => expect(first.ear.texts).toEqual(['hello']), PATIENCE)
  await first.close()
  const { platform } = await connectedBooth('irc', { ...fake, clock, cursors })
  await platform.send({ chatId: MASK, text: 'answer', key: 'k' })
  expect(fake.lines()).toContain('PRIVMSG dora :answer')
  expect(lookups(fake)).toEqual([])
})

test('many who wrote long ago are looked up five at a time, and without WHOIS', async () => {
  const fake = await network()
  const clock = virtualClock()
  const { platform, ear } = await connectedBooth('irc', { ...fake, clock })
  const nicks = Array.from({ length: 10 }, (_, at) => `guest${at}`)
  for (const nick of nicks) fake.tell(`:${nick}!${nick}@people.fake.example PRIVMSG svc :hello from ${nick}`)
  await vi.waitFor(() => expect(ear.texts).toHaveLength(10), PATIENCE)
  await clock.advance(3_600_000)
  await Promise.all(
    nicks.map((nick) => platform.send({ chatId: `${nick}!${nick}@people.fake.example`, text: nick, key: nick })),
  )
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(nicks)
  expect(lookups(fake)).toHaveLength(2)
})

test('a nickname that someone else has by now gets no answer, and one that no one has neither', async () => {
  const fake = await network()
  const { platform } = await connectedBooth('irc', fake)
  for (const chatId of ['eve!eve@elsewhere.example', 'nobody!n@people.fake.example'])
    await expect(platform.send({ chatId, text: 'secret', key: chatId })).rejects.toMatchObject({ code: 'IRC_ABSENT' })
  expect(fake.deliveries()).toEqual([])
  await platform.send({ chatId: '#lobby', text: 'x'.repeat(400), key: 'whole' })
  expect(fake.deliveries()).toMatchObject([{ visible: 'x'.repeat(400) }])
})

test('while a ghost has its nickname svc is heard under both', async () => {
  const fake = await network()
  fake.occupy('svc')
  const { ear } = await connectedBooth('irc', fake)
  const person = fake.member({ group: 'lobby' })
  for (const text of ['svc: are you there?', 'svc_: and now?', 'svcs are many']) await person.say(text)
  await vi.waitFor(() => expect(ear.received).toHaveLength(3), PATIENCE)
  expect(ear.received.map(({ text, isMention }) => [text, isMention])).toEqual([
    ['are you there?', true],
    ['and now?', true],
    ['svcs are many', false],
  ])
})

test('code is seen to be code on IRC, and other marks are left out', async () => {
  const fake = await network()
  const { kernel, platform } = await connectedBooth('irc', { ...fake, plugins: ['markup'] })
  const pieces = kernel
    .use(MessageFormatter)
    .pieces('**Run** `ls`:\n\n```sh\ncd /tmp\nls\n```\n\nDone.', platform.limits)
  expect(pieces.join('\n').split(/\n+/)).toEqual(['Run `ls`:', '```sh', 'cd /tmp', 'ls', '```', 'Done.'])
})

test('an answer of 25 lines is there within twenty seconds', async () => {
  const fake = await network()
  const clock = virtualClock()
  const config = { ...fake.config, line_delay_ms: undefined }
  const { kernel, platform } = await connectedBooth('irc', { ...fake, config, clock, plugins: ['outbox', 'markup'] })
  const outbox = kernel.use(Outbox)
  outbox.serve(platform)
  const text = Array.from({ length: 25 }, (_, at) => `- this is line ${at} of a longer answer`).join('\n')
  outbox.post({ platform: 'irc', chatId: '#lobby', text, key: 'long' })
  const from = clock.now()
  await vi.waitFor(async () => {
    await clock.advance(100)
    expect(fake.deliveries()).toHaveLength(25)
  }, PATIENCE)
  expect(clock.now() - from).toBeLessThan(20_000)
})
