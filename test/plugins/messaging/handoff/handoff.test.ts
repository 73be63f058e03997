/** Stories of conversations that go on in another chat, and of answers that are sent to two. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { Gateway, Platforms } from 'svc/sdk/platform'
import { fakePlatform, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from '../gateway/stage.ts'

const START = 1_700_000_000_000
type Options = NonNullable<Parameters<typeof stage>[1]>

/** Ids are not used again by a later process. */
let written = 0

/** Two platforms: ada writes on the first, and has a home chat on the second. */
async function open(
  script: Parameters<typeof stage>[0] = ['one', 'two', 'three', 'four'],
  more: Options & { readonly otherSettings?: object } = {},
) {
  const { otherSettings = {}, ...options } = more
  const other = fakePlatform({ name: 'other', settings: { home_channel: 'ada-other', ...otherSettings } })
  const story = await stage(script, { plugins: ['handoff'], ...options, with: [other.plugin, ...(options.with ?? [])] })
  const write = async (fake: typeof other, text: string, who: string, where: object = {}) => {
    await fake.say(who, text, { messageId: `m${++written}`, ...where })
    await story.gateway.idle()
  }
  return {
    ...story,
    other,
    say: (text: string, who = 'ada', where: object = {}) => write(story.fake, text, who, where),
    sayOther: (text: string, who = 'ada-other', where: object = {}) => write(other, text, who, where),
    heard: () => other.sent.map(({ text }) => text),
    asked: () => story.model.requests.at(-1)?.messages.map(({ text }) => text) ?? [],
  }
}

const codeIn = (text = '') => /\/\w+ (\w{8})$/.exec(text)?.[1] ?? 'no code'

test('a conversation goes on in the home chat once that confirmed, and the first chat begins a new one', async () => {
  const { say, sayOther, said, heard, asked, model } = await open()
  await say('I like bees')
  await say('/handoff other')
  expect(said().at(-1)).toMatch(/^I asked in the home chat/)
  expect(heard().at(-1)).toMatch(/Continue the conversation .* here\?[\s\S]*\/handoff yes/)
  await say('do not move yet')
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toMatch(/goes on here\.\n\ntwo$/)
  expect(said().at(-1)).toMatch(/goes on in .*Your next message here begins a new one/)
  await sayOther('what do I like?')
  expect(asked()).toContain('I like bees')
  expect(heard().at(-1)).toBe('three')
  await say('and here?')
  expect(said().at(-1)).toBe('four')
  expect(asked()).not.toContain('I like bees')
  expect(model.requests).toHaveLength(4)
  // The request is over.
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toBe('Nothing waits for a confirmation here.')
})

test('the chat that takes a conversation keeps the one that it had', async () => {
  const { kernel, say, sayOther, heard, asked } = await open()
  await sayOther('I like wasps')
  await say('I like bees')
  await say('/handoff other')
  await sayOther('/handoff yes')
  await sayOther('well?')
  expect(asked()).toContain('I like bees')
  expect(asked()).not.toContain('I like wasps')
  const wasps = kernel.use(Sessions).search('wasps')[0]?.sessionId ?? ''
  await sayOther(`/resume ${wasps}`)
  await sayOther('and now?')
  expect(asked()).toContain('I like wasps')
  expect(heard().at(-1)).toBe('four')
})

test('a request that is declined, too old or for another chat moves nothing', async () => {
  const clock = virtualClock(START)
  const { kernel, say, sayOther, said, heard } = await open(undefined, { clock })
  await say('I like bees')
  const session = kernel.use(Sessions).list()[0]?.id ?? ''
  await say('/handoff other')
  await sayOther('/handoff yes', 'eve')
  expect(heard().at(-1)).toBe('Nothing waits for a confirmation here.')
  await sayOther('/handoff no')
  expect(said().at(-1)).toMatch(/^It was declined in/)
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toBe('Nothing waits for a confirmation here.')
  await say('/handoff other')
  await clock.advance(600_001)
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toBe('Nothing waits for a confirmation here.')
  expect(kernel.use(Gateway).findChat(session)).toMatchObject({ platform: 'fake', chatId: 'ada' })
})

test('a code moves it to any chat of the person, once, and cannot be guessed', async () => {
  const { kernel, say, sayOther, said, heard } = await open()
  await say('I like bees')
  const session = kernel.use(Sessions).list()[0]?.id ?? ''
  await say('/handoff code')
  const code = codeIn(said().at(-1))
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
  await say(`/handoff ${code}`)
  expect(said().at(-1)).toBe('Type it in the other chat.')
  for (let tries = 0; tries < 5; tries++) {
    await sayOther('/handoff ABCDEFGH', 'eve')
    expect(heard().at(-1)).toBe('No open request has this code.')
  }
  await sayOther(`/handoff ${code}`, 'eve')
  expect(heard().at(-1)).toMatch(/^Too many wrong codes/)
  await sayOther(`/handoff ${code.toLowerCase()}`, 'ada-2')
  expect(heard().at(-1)).toMatch(/goes on here/)
  expect(kernel.use(Gateway).findChat(session)).toMatchObject({ platform: 'other', chatId: 'ada-2' })
  await sayOther(`/handoff ${code}`, 'ada-3')
  expect(heard().at(-1)).toBe('No open request has this code.')
})

test('it is not moved while an answer is under way', async () => {
  let finish: () => void = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const { fake, gateway, model, say, other, said, heard } = await open(['one', { text: 'slow', gate }])
  await say('I like bees')
  await say('/handoff other')
  await fake.say('ada', 'write a book')
  await expect.poll(() => model.requests.length).toBe(2)
  await other.say('ada-other', '/handoff yes')
  await expect.poll(() => heard().at(-1)).toMatch(/was not moved: an answer is under way in it/)
  finish()
  await gateway.idle()
  expect(said().at(-1)).toBe('slow')
})

test('who may not use the command in the other chat does not confirm, and where there is no home chat the code is named', async () => {
  const otherSettings = { allow_admin_from: ['owner'] }
  const { say, sayOther, said, heard } = await open(undefined, { otherSettings })
  await say('I like bees')
  await say('/handoff other')
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toMatch(/allow_admin_from/)
  await say('/handoff fake')
  expect(said().at(-1)).toMatch(/no home chat.*\/handoff code/)
  await say('/handoff nowhere')
  expect(said().at(-1)).toMatch(/nowhere has no home chat/)
  await say('/new now')
  await say('/handoff other')
  expect(said().at(-1)).toBe('Nothing was said here yet.')
})

/** The file in which the plugin keeps a state. */
function stateFile(home: string, name: string): string {
  const folder = join(home, 'data/handoff')
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((each) => each.includes(name))
  return join(folder, found ?? '')
}

test.each(['before the move', 'after the move'])(
  'a process that ends %s is followed by one that finishes the handoff, and tells both chats once',
  async (moment) => {
    const home = temporaryFolder()
    const first = await open(['one'], { home })
    await first.say('I like bees')
    const session = first.kernel.use(Sessions).list()[0]?.id ?? ''
    await first.say('/handoff other')
    // Confirmed, and no step further.
    const gateway = first.kernel.use(Gateway) as { moveSession: unknown }
    const move = first.kernel.use(Gateway).moveSession.bind(first.kernel.use(Gateway))
    const begun: unknown[] = []
    const copy = join(temporaryFolder(), 'requests')
    gateway.moveSession = (...given: Parameters<typeof move>) => {
      copyFileSync(stateFile(home, 'requests'), copy)
      if (moment === 'after the move') move(...given)
      begun.push(given)
      throw new Error('killed')
    }
    await first.sayOther('/handoff yes')
    expect(begun).toHaveLength(1)
    await first.kernel.stop()
    copyFileSync(copy, stateFile(home, 'requests'))
    const next = await open(['two'], { home })
    await expect.poll(() => next.heard().join()).toMatch(/goes on here\.\n\none/)
    await expect.poll(() => next.said().join()).toMatch(/goes on in/)
    expect(next.kernel.use(Gateway).findChat(session)).toMatchObject({ platform: 'other', chatId: 'ada-other' })
    await next.sayOther('what do I like?')
    expect(next.asked()).toContain('I like bees')
    await next.kernel.stop()
    // As if it had been killed before it noted that both were told.
    copyFileSync(copy, stateFile(home, 'requests'))
    const last = await open([], { home })
    await last.gateway.idle()
    expect([last.heard(), last.said()]).toEqual([[], []])
  },
)

test('answers are mirrored once the other chat confirmed, without what is silent, until one of the two ends it', async () => {
  const { say, sayOther, said, heard } = await open(['one', 'two', 'NO_REPLY', 'three', 'four'])
  await say('hello')
  await say('/mirror other')
  await say('not yet')
  await sayOther('/mirror yes')
  expect(heard().at(-1)).toMatch(/^Answers in .* are also sent here/)
  expect(said().at(-1)).toMatch(/^Answers here are also sent to/)
  const before = heard().length
  await say('be silent')
  expect(heard()).toHaveLength(before)
  await say('and now?')
  expect(heard().at(-1)).toMatch(/^\*?\*?In-memory chat, ada\*?\*?\n\nthree$/)
  await say('/mirror')
  expect(said().at(-1)).toContain('fake:ada → other:ada-other')
  await sayOther('/mirror off')
  expect(heard().at(-1)).toBe('The mirror of this chat has ended.')
  await say('and?')
  expect(heard().at(-1)).toBe('The mirror of this chat has ended.')
  await say('/mirror off')
  expect(said().at(-1)).toBe('This chat has no mirror.')
})

test('a mirror ends with the rights of those who have it', async () => {
  const home = temporaryFolder()
  const first = await open(['one'], { home })
  await first.say('/mirror other')
  await first.sayOther('/mirror yes')
  await first.kernel.stop()
  const next = await open(['two'], {
    home,
    otherSettings: { dm_policy: 'allowlist', group_policy: 'allowlist', allow_all: false, allow_from: ['cid'] },
  })
  await next.say('hello?')
  expect([next.said(), next.heard()]).toEqual([['two'], []])
})

test('a mirror of the configuration needs no question, and cannot be ended in a chat', async () => {
  const mirrors = [{ from: 'fake:team', to: 'other' }]
  const { say, said, heard } = await open(['one', 'two'], { config: { handoff: { mirrors } } })
  await say('hello', 'ada', { chatId: 'team', chatKind: 'group', isMention: true })
  expect(heard().at(-1)).toMatch(/one$/)
  await say('hello')
  expect(heard()).toHaveLength(1)
  await say('/mirror off', 'ada', { chatId: 'team', chatKind: 'group', isMention: true })
  expect(said().at(-1)).toContain('handoff.mirrors')
})

test('an answer that a killed process did not mirror is mirrored by the next one, and no answer twice', async () => {
  const home = temporaryFolder()
  const first = await open(['one', 'two'], { home })
  await first.say('before the mirror')
  await first.say('/mirror other')
  await first.sayOther('/mirror yes')
  await first.kernel.stop()
  const second = await open(['three'], { home })
  await second.gateway.idle()
  expect(second.heard()).toEqual([])
  // Its outbox is gone when the turn ends, as in a process that is killed there.
  const mirrors = stateFile(home, 'mirrors')
  const copy = join(temporaryFolder(), 'mirrors')
  copyFileSync(mirrors, copy)
  await second.sayOther('/mirror off')
  await second.say('hello')
  const count = second.heard().length
  await second.kernel.stop()
  copyFileSync(copy, mirrors)
  const third = await open([], { home })
  await expect.poll(() => third.heard()).toHaveLength(1)
  expect(third.heard()[0]).toMatch(/three$/)
  expect(count).toBe(1)
  await third.kernel.stop()
  const fourth = await open([], { home })
  await fourth.gateway.idle()
  expect(fourth.heard()).toEqual([])
})

test('both platforms must be connected here', async () => {
  const { fake, say, sayOther, heard, kernel } = await open()
  await say('I like bees')
  await say('/handoff other')
  expect(kernel.all(Platforms).get('fake')).toBeDefined()
  await kernel.use(Gateway).pause('fake')
  expect(fake.connected).toBe(false)
  await sayOther('/handoff yes')
  expect(heard().at(-1)).toMatch(/was not moved: fake is not connected/)
})
