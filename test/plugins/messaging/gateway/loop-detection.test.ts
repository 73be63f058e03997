/** Programs that answer each other, and people who write a lot. */
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

const NOTE = /^Too many messages came/
const loop = { loop_messages: 6, loop_messages_unattended: 3, loop_minutes: 10 }

/** Says different words each time, so many times. */
async function talk(
  said: readonly string[],
  say: (text: string) => Promise<unknown>,
  idle: () => Promise<void>,
  times: number,
) {
  for (let round = 0; round < times; round++) {
    await say(`round ${said.length} ${round}`)
    await idle()
  }
}

test('a program whose words differ each time is answered so often, told once, and then not at all', async () => {
  const clock = virtualClock()
  const { fake, gateway, said, model } = await stage((_, call) => `answer ${call}`, {
    clock,
    config: { gateway: loop },
    platform: { settings: { allow_bots: 'all' } },
  })
  await talk(
    said(),
    (text) => fake.say('robot', text, { isBot: true }),
    () => gateway.idle(),
    8,
  )
  expect(model.requests).toHaveLength(3)
  expect(said().filter((text) => NOTE.test(text))).toHaveLength(1)
  expect(said()).toHaveLength(4)
  // Others are answered, and so is the program after a quiet while.
  await fake.say('ada', 'and me?')
  await gateway.idle()
  expect(model.requests).toHaveLength(4)
  await clock.advance(10 * 60_000 + 1)
  await fake.say('robot', 'again', { isBot: true })
  await gateway.idle()
  expect(model.requests).toHaveLength(5)
})

test('a loop that goes on stays unanswered: what is not answered counts as well', async () => {
  const clock = virtualClock()
  const { fake, gateway, model } = await stage((_, call) => `answer ${call}`, {
    clock,
    config: { gateway: loop },
    platform: { limits: { unattended: true } },
  })
  for (let minute = 0; minute < 60; minute++) {
    await fake.say('ann', `on holiday since ${minute} minutes`)
    await gateway.idle()
    await clock.advance(60_000)
  }
  expect(model.requests).toHaveLength(3)
})

test('people have a higher limit, commands of a stopped chat included, and zero is none', async () => {
  const clock = virtualClock()
  const people = await stage((_, call) => `answer ${call}`, { clock, config: { gateway: loop } })
  await talk(
    [],
    (text) => people.fake.say('ada', text),
    () => people.gateway.idle(),
    8,
  )
  expect(people.model.requests).toHaveLength(6)
  const free = await stage((_, call) => `answer ${call}`, {
    config: { gateway: { ...loop, loop_messages: 0 } },
  })
  await talk(
    [],
    (text) => free.fake.say('ada', text),
    () => free.gateway.idle(),
    8,
  )
  expect(free.model.requests).toHaveLength(8)
})

test('what is written in one go counts once, however much it is', async () => {
  const { fake, gateway, said } = await stage((_, call) => `answer ${call}`, { config: { gateway: loop } })
  await fake.say('ada', 'begin')
  await Promise.all(Array.from({ length: 40 }, (_, at) => fake.say('ada', `line ${at}`)))
  await gateway.idle()
  expect(said().filter((text) => NOTE.test(text))).toEqual([])
})

test('the limit holds over a restart', async () => {
  const clock = virtualClock()
  const options = { clock, config: { gateway: loop }, platform: { limits: { unattended: true } } } as const
  const first = await stage(['1', '2', '3'], options)
  await talk(
    [],
    (text) => first.fake.say('ann', text),
    () => first.gateway.idle(),
    3,
  )
  await first.gateway.stop()
  const second = await stage(['4'], { ...options, home: first.kernel.home })
  await second.fake.say('ann', 'more', { messageId: 'later' })
  await second.gateway.idle()
  expect(second.model.requests).toEqual([])
})
