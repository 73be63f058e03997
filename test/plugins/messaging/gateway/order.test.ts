/** In which order messages of a chat are answered: that in which they came, whatever the times of the model and of svc. */
import fc from 'fast-check'
import { Agent, BeforeUserMessage, Sessions } from 'svc/sdk'
import { Outbox } from 'svc/sdk/platform'
import { type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { type StageOptions, stage } from './stage.ts'

type Place = Awaited<ReturnType<typeof stage>>

const idsIn = (text = '') => [...text.matchAll(/Q-(\d+)/g)].map(([, id]) => Number(id))

/** A model that answers with what it was asked last, after some time, in a gateway whose turns begin after some time. */
async function echo(clock: VirtualClock, delays: readonly number[], options: StageOptions = {}): Promise<Place> {
  let turns = 0
  const at = (list: readonly number[], index: number) => list[index % list.length] ?? 0
  const slow = {
    name: 'slow-start',
    setup: (ctx: { on(hook: typeof BeforeUserMessage, listener: (text: string) => Promise<string>): unknown }) => {
      ctx.on(BeforeUserMessage, async (text) => {
        const wait = at(delays, ++turns * 7)
        if (wait % 3 === 0 && wait > 0) await clock.sleep(wait)
        return text
      })
    },
  }
  return stage(
    ({ messages }, call) => {
      const text = `A[${idsIn(messages.findLast(({ role }) => role === 'user')?.text).join()}]`
      const wait = at(delays, call)
      return wait === 0 ? text : { text, gate: clock.sleep(wait) }
    },
    { clock, with: [slow as never], ...options },
  )
}

/** Lets time pass until the work is done. */
async function passing(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  // The disk is real: it gets its time, before a limit of the virtual one is over.
  while (!isDone) {
    await clock.advance(40)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await work
}

const settle = ({ gateway }: Place, clock: VirtualClock) => passing(clock, gateway.idle())

/** A send that a stop cut off is made again under its key: each platform in memory knows only its own. */
function answers(places: readonly Place[], chat: string) {
  const sent = places
    .flatMap(({ fake }) => fake.sent)
    .filter(({ chatId, text }) => chatId === chat && /^A\[/.test(text))
  return [...new Map(sent.map((message) => [message.key, message])).values()]
}
const answered = (places: readonly Place[], chat: string) =>
  answers(places, chat).flatMap(({ text }) => idsIn(text.replace(/\d+/g, 'Q-$&')))

const chats = ['ada', 'bob', 'eve']
const delay = fc.constantFrom(0, 0, 1, 30, 90, 351, 400, 1200)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ chat: fc.constantFrom(...chats), after: fc.constantFrom(0, 0, 0, 5, 100, 360, 900) }),
  },
  { weight: 1, arbitrary: fc.record({ restart: fc.array(fc.constantFrom(...chats), { maxLength: 8 }) }) },
)

/** As `svc gateway stop` does it: first the conversations, then what they need. */
async function end(place: Place | undefined, clock: VirtualClock): Promise<void> {
  if (place) await passing(clock, place.gateway.stop())
  if (place) await passing(clock, place.kernel.stop())
}

type Step = { readonly chat: string; readonly after: number } | { readonly restart: readonly string[] }

/** People write and svc is started again, as the steps say; what each chat asked. */
async function play(steps: readonly Step[], clock: VirtualClock, places: Place[], start: () => Promise<Place>) {
  const asked = new Map<string, number[]>(chats.map((chat) => [chat, []]))
  let count = 0
  const say = async (chat: string) => {
    asked.get(chat)?.push(++count)
    await places.at(-1)?.fake.say(chat, `Q-${count}`, { messageId: `q${count}` })
  }
  for (const each of steps) {
    if ('restart' in each) {
      await end(places.at(-1), clock)
      places.push(await start())
      for (const chat of each.restart) await say(chat)
    } else {
      await say(each.chat)
      if (each.after > 0) await clock.advance(each.after)
    }
  }
  return asked
}

test('whatever the times, every message of a chat is answered once, and in the order in which it came', async () => {
  let merged = 0
  await fc.assert(
    fc.asyncProperty(
      // A message that was begun three times is given up.
      fc
        .array(step, { minLength: 6, maxLength: 20 })
        .filter((all) => all.filter((each) => 'restart' in each).length < 3),
      fc.array(delay, { minLength: 3, maxLength: 9 }),
      fc.constantFrom('interrupt', 'interrupt', 'queue'),
      async (steps, delays, mode) => {
        const clock = virtualClock()
        const options = { home: temporaryFolder(), config: { display: { busy_input_mode: mode } } }
        const places = [await echo(clock, delays, options)]
        const asked = await play(steps, clock, places, () => echo(clock, delays, options))
        const last = places.at(-1) as Place
        await settle(last, clock)
        for (const chat of chats) {
          const got = answered(places, chat)
          expect(got).toEqual(asked.get(chat))
          if (answers(places, chat).length < got.length) merged++
        }
        expect(last.gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
        await end(last, clock)
      },
    ),
    { numRuns: 5, endOnFailure: true },
  )
  expect(merged).toBeGreaterThan(0)
}, 120_000)

test('messages that waited while svc was away come to the model together, not each in its own turn', async () => {
  const clock = virtualClock()
  const place = await echo(clock, [300])
  for (let id = 1; id <= 5; id++) await place.fake.say('ada', `Q-${id}`)
  await settle(place, clock)
  expect(answered([place], 'ada')).toEqual([1, 2, 3, 4, 5])
  expect(place.model.requests.length).toBeLessThan(3)
})

test('a message that had to wait for another turn of its session is not lost when the next one interrupts it', async () => {
  const clock = virtualClock()
  const place = await echo(clock, [0])
  await place.fake.say('ada', 'Q-1')
  await settle(place, clock)
  const { kernel, fake } = place
  const [{ id: sessionId = '' } = {}] = kernel.use(Sessions).list()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const other = kernel.use(Agent).run({ sessionId, text: 'by the way', surface: 'job' })
  const reading = (async () => {
    for await (const event of other) if (event.type === 'turn.start') await gate
  })()
  await vi.waitFor(() => expect(kernel.use(Agent).busy(sessionId)).toBe(true))
  await fake.say('ada', 'Q-2')
  await clock.advance(50)
  await fake.say('ada', 'Q-3')
  await clock.advance(500)
  open()
  await reading
  await settle(place, clock)
  expect(answered([place], 'ada')).toEqual([1, 2, 3])
  expect(kernel.use(Outbox).counts().pending).toBe(0)
})
