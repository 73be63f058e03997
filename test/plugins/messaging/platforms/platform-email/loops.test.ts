import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { digestWords, nextRound } from '../../../../../plugins/messaging/platforms/platform-email/loop-limit.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { connectedBooth } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const PATIENCE = { timeout: 10_000 }

async function provider() {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  return fake
}

test('anyone who says the same again and again is heard five times, also over a restart, and others all the time', async () => {
  const fake = await provider()
  const home = temporaryFolder()
  const responder = fake.member({ userId: 'away@people.example' })
  const first = await connectedBooth('email', { ...fake, home })
  for (let round = 1; round <= 3; round++) await responder.say(`I am  away since ${round} days.`)
  await vi.waitFor(() => expect(first.ear.received).toHaveLength(3), PATIENCE)
  await first.close()
  const { ear } = await connectedBooth('email', { ...fake, home })
  for (let round = 4; round <= 9; round++) await responder.say(`I am away\nsince ${round} days.`)
  await fake.member().say('I am away since 1 days.')
  await responder.say('I am back.')
  await responder.say('I am away since 10 days.')
  await vi.waitFor(() => expect(ear.texts.at(-1)).toBe('I am away since 10 days.'), PATIENCE)
  const known = new Set(first.ear.received.map(({ messageId }) => messageId))
  const heard = ear.received.filter(({ messageId }) => !known.has(messageId))
  expect(heard.map(({ text }) => text.replace(/\s+/g, ' '))).toEqual([
    'I am away since 4 days.',
    'I am away since 5 days.',
    'I am away since 1 days.',
    'I am back.',
    'I am away since 10 days.',
  ])
})

test('how often the same words are taken can be set, and after a pause they are taken again', async () => {
  const fake = await provider()
  const clock = virtualClock()
  const config = { ...fake.config, loop_repeats: 1, loop_pause_minutes: 10 }
  const { ear } = await connectedBooth('email', { ...fake, config, clock })
  const ann = fake.member()
  await ann.say('go on')
  await ann.say('go on')
  await fake.member().say('mark 1')
  await vi.waitFor(() => expect(ear.texts).toEqual(['go on', 'mark 1']), PATIENCE)
  await clock.advance(10 * 60_000 + 1)
  await ann.say('go on')
  await vi.waitFor(() => expect(ear.texts).toEqual(['go on', 'mark 1', 'go on']), PATIENCE)
})

test('a mail that has to be read again is no repetition of itself', async () => {
  const fake = await provider()
  const { ear } = await connectedBooth('email', { ...fake, config: { ...fake.config, loop_repeats: 1 } })
  ear.refuse = 2
  await fake.member().say('the inbox was full')
  await vi.waitFor(() => expect(ear.texts).toEqual(['the inbox was full']), PATIENCE)
})

test('files make mails with the same words different ones', () => {
  const said = (name: string, size: number) => digestWords('see attached', [{ name, size }])
  expect(said('a.pdf', 1)).toBe(said('a.pdf', 1))
  expect(new Set([said('a.pdf', 1), said('b.pdf', 1), said('a.pdf', 2), digestWords('see attached', [])]).size).toBe(4)
})

test('a pause is measured from the last repetition, so that a slow loop does not go on for ever', () => {
  const at = (minutes: number) => ({ id: `<${minutes}>`, words: 'w', at: minutes * 60_000 })
  let round = nextRound(undefined, at(0), 3_600_000)
  for (let minutes = 50; minutes <= 500; minutes += 50) round = nextRound(round, at(minutes), 3_600_000)
  expect(round.repeats).toBe(11)
  expect(nextRound(round, at(561), 3_600_000).repeats).toBe(1)
})

test('anyone who writes too often is not answered, in whichever threads and words, until it is quieter', async () => {
  const fake = await provider()
  const clock = virtualClock()
  const config = { ...fake.config, loop_rounds: 3, loop_pause_minutes: 10 }
  const { ear } = await connectedBooth('email', { ...fake, config, clock })
  const ann = fake.member()
  for (const word of ['one', 'two', 'three', 'four', 'five']) await ann.say(word)
  await fake.member().say('mark')
  await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two', 'three', 'mark']), PATIENCE)
  await clock.advance(10 * 60_000 + 1)
  await ann.say('six')
  await vi.waitFor(() => expect(ear.texts.at(-1)).toBe('six'), PATIENCE)
})
