/** Two gateways on one PostgreSQL: one is killed, the database is restarted, connections are cut. Each message is answered once. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { missingPostgres, Postgres } from '../support/postgres.ts'
import { IS_ALL } from '../support/today.ts'
import { CountingPlatform, KilledHome } from './two-gateways.ts'

const missing = missingPostgres()
/** By day one, with a restart of the database. */
const KILLS = IS_ALL ? 100 : 1
const RESTART_EVERY = IS_ALL ? 5 : 1
const ANSWER_MS = 90_000
const MAX_KILLS = 2
const CHATS = ['ann', 'ben', 'cleo']
const LONG_MS = IS_ALL ? 3_600_000 : 120_000

let database: Postgres

beforeAll(async () => {
  if (missing === undefined) database = await Postgres.start()
})
afterAll(() => database?.stop())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a model was asked: the newest request of a chat, and whether all before it are in its conversation. */
function readQuestion(raw: string): { chat: string; number: number; isWhole: boolean } {
  const found = [...raw.matchAll(/Please answer (\w+) (\d+)\./g)].map(([, chat = '', number]) => ({
    chat,
    number: Number(number),
  }))
  const { chat = '', number = 0 } = found.at(-1) ?? {}
  const known = new Set(found.filter((each) => each.chat === chat).map((each) => each.number))
  return { chat, number, isWhole: Array.from({ length: number }, (_, at) => at + 1).every((each) => known.has(each)) }
}

type Stage = Awaited<ReturnType<typeof stage>>

async function stage() {
  const platform = await CountingPlatform.start()
  onTestFinished(() => platform.close())
  const gaps: string[] = []
  const model = await startModelServer({
    replies: ({ raw }) => {
      const { chat, number, isWhole } = readQuestion(raw.toString('utf8'))
      if (!isWhole) gaps.push(`${chat} ${number}`)
      return { text: `Answer ${chat} ${number}.`, delayMs: 100 + ((number * 37) % 200) }
    },
  })
  onTestFinished(() => model.close())
  const homes = ['one', 'two'].map((name) => {
    const home = new KilledHome({ name, platform: platform.url, model: model.url, database: database.url })
    onTestFinished(() => home.close())
    return home
  })
  return { platform, homes, gaps }
}

/** How often each question of a chat was answered. */
function countAnswers(platform: CountingPlatform, chat: string): number[] {
  const counts: number[] = []
  for (const { text } of platform.said) {
    const [, number] = new RegExp(`Answer ${chat} (\\d+)\\.`).exec(text) ?? []
    if (number !== undefined) counts[Number(number)] = (counts[Number(number)] ?? 0) + 1
  }
  return Array.from(counts, (count) => count ?? 0)
}

/** People who write again once the answer is there, until they are told to end. */
class People {
  readonly asked = new Map(CHATS.map((chat) => [chat, 0]))
  /** Rejects when an answer does not come. */
  readonly done: Promise<unknown>
  readonly #platform: CountingPlatform
  /** How often a gateway was killed since a person wrote. */
  readonly #kills = new Map<string, number>()
  isEnding = false

  constructor(platform: CountingPlatform) {
    this.#platform = platform
    this.done = Promise.all(CHATS.map((chat) => this.#talk(chat)))
    this.done.catch(() => {})
  }

  get count(): number {
    return [...this.asked.values()].reduce((sum, each) => sum + each)
  }

  killed(): void {
    for (const chat of CHATS) this.#kills.set(chat, (this.#kills.get(chat) ?? 0) + 1)
  }

  /** A turn that svc died of three times is closed, and the person told: here each is to be answered. */
  async bear(): Promise<void> {
    while ([...this.#kills.values()].some((kills) => kills >= MAX_KILLS)) await pause(20)
  }

  async #talk(chat: string): Promise<void> {
    while (!this.isEnding) {
      const number = (this.asked.get(chat) ?? 0) + 1
      this.asked.set(chat, number)
      this.#kills.set(chat, 0)
      this.#platform.write(chat, `Please answer ${chat} ${number}.`)
      const until = Date.now() + ANSWER_MS
      while (!countAnswers(this.#platform, chat)[number]) {
        if (Date.now() > until) throw new Error(`no answer to ${chat} ${number}`)
        await pause(20)
      }
    }
  }
}

/** Kills gateways, restarts the database and cuts connections. Returns the milliseconds until another gateway was connected. */
async function disturb({ platform, homes }: Stage, people: People): Promise<number[]> {
  const waits: number[] = []
  const isTakenOver = async (from: string) => {
    while ((platform.askedBy.at(-1) ?? '') === from) await pause(50)
  }
  await Promise.race([isTakenOver(''), people.done])
  for (let count = 1; count <= KILLS; count++) {
    await Promise.race([pause(500 + Math.random() * 2500).then(() => people.bear()), people.done])
    const holder = platform.askedBy.at(-1) ?? ''
    // Now and then it is the one that stands by.
    const home = homes.find(({ name }) => (name === holder) === (count % 4 !== 0)) as KilledHome
    await home.kill()
    people.killed()
    await disturbDatabase(count)
    const since = Date.now()
    // Now and then it is back before the other one takes over.
    if (home.name === holder && count % 3 !== 0) await Promise.race([isTakenOver(holder), people.done])
    waits.push(Date.now() - since)
    if (IS_ALL) process.stdout.write(`kill ${count} of ${home.name}: ${people.count} messages\n`)
    home.begin()
  }
  return waits
}

async function disturbDatabase(count: number): Promise<void> {
  if (count % RESTART_EVERY === 0) {
    await database.kill()
    await pause(Math.random() * 500)
    await database.run()
  } else if (count % 2 === 0) await database.cutConnections()
}

function describeHomes({ homes, platform }: Stage): string {
  const log = (home: KilledHome) => {
    const file = join(home.home, 'logs', 'gateway.log')
    return existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : ''
  }
  const others = platform.said.filter(({ text }) => !text.startsWith('Answer '))
  return `${homes.map((home) => `${home.name}: ${home.output}\n${log(home)}\n`).join('')}${JSON.stringify(others)}\n`
}

describe.skipIf(missing !== undefined)(`two gateways${missing ? ` (${missing})` : ''}`, () => {
  test('each message is answered once, and conversations go on at the other gateway', {
    timeout: LONG_MS,
  }, async () => {
    const staged = await stage()
    const { platform, homes, gaps } = staged
    for (const home of homes) home.begin()
    const people = new People(platform)
    let waits: readonly number[] = []
    try {
      waits = await disturb(staged, people)
      people.isEnding = true
      await people.done
    } catch (error) {
      process.stdout.write(describeHomes(staged))
      throw error
    }
    // What is doubled comes later.
    await pause(IS_ALL ? 5000 : 1000)
    const counts = CHATS.map((chat) => countAnswers(platform, chat).slice(1))
    expect(counts).toEqual(CHATS.map((chat) => Array(people.asked.get(chat)).fill(1)))
    const others = platform.said.filter(({ text }) => !text.startsWith('Answer '))
    expect({ gaps, others }).toEqual({ gaps: [], others: [] })
    expect(new Set(platform.askedBy).size).toBe(2)
    expect(Math.max(...waits)).toBeLessThan(30_000)
    if (IS_ALL)
      process.stdout.write(
        `${people.count} messages, ${platform.askedBy.length} connections, the longest take-over ${Math.max(...waits)} ms\n`,
      )
  })
})
