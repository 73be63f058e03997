/** Two gateways on one PostgreSQL: one is killed, the database is restarted, connections are cut. Each message is answered once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { missingPostgres, Postgres } from '../support/postgres.ts'
import { IS_ALL } from '../support/today.ts'
import { CountingPlatform, KilledHome } from './two-gateways.ts'

const missing = missingPostgres()
const KILLS = Number(process.env['SVC_KILLS'] ?? (IS_ALL ? 100 : 2))
const RESTART_EVERY = IS_ALL ? 5 : 2
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
  const found = [...raw.matchAll(/Please answer (\w+) (\d+)\./g)].map(([, chat = '', number]) => ({ chat, number: Number(number) }))
  const { chat = '', number = 0 } = found.at(-1) ?? {}
  const known = new Set(found.filter((each) => each.chat === chat).map((each) => each.number))
  return { chat, number, isWhole: Array.from({ length: number }, (_, at) => at + 1).every((each) => known.has(each)) }
}

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

describe.skipIf(missing !== undefined)(`two gateways${missing ? ` (${missing})` : ''}`, () => {
  test(
    'each message is answered once, and conversations go on at the other gateway',
    { timeout: LONG_MS },
    async () => {
      const { platform, homes, gaps } = await stage()
      for (const home of homes) home.begin()
      const asked = new Map(CHATS.map((chat) => [chat, 0]))
      const waits: number[] = []
      let isEnding = false
      /** Each person writes again once the answer is there. */
      const people = CHATS.map(async (chat) => {
        while (!isEnding) {
          const number = (asked.get(chat) ?? 0) + 1
          asked.set(chat, number)
          platform.write(chat, `Please answer ${chat} ${number}.`)
          const since = Date.now()
          while (!countAnswers(platform, chat)[number]) {
            if (Date.now() - since > 90_000) throw new Error(`no answer to ${chat} ${number}`)
            await pause(20)
          }
        }
      })
      const failed = Promise.all(people)
      failed.catch(() => {})
      const isTakenOver = async (from: string) => {
        while ((platform.askedBy.at(-1) ?? '') === from) await pause(50)
      }
      const chaos = async () => {
        await isTakenOver('')
        for (let count = 1; count <= KILLS; count++) {
          await Promise.race([pause(500 + Math.random() * 2500), failed])
          const holder = platform.askedBy.at(-1) ?? ''
          const home = homes.find(({ name }) => (name === holder) === (count % 4 !== 0)) as KilledHome
          await home.kill()
          if (count % RESTART_EVERY === 0) {
            await database.kill()
            await pause(Math.random() * 500)
            await database.run()
          } else if (count % 2 === 0) await database.cutConnections()
          // Now and then it is back before the other one takes over.
          const since = Date.now()
          if (home.name === holder && count % 3 !== 0) await Promise.race([isTakenOver(holder), failed])
          waits.push(Date.now() - since)
          if (IS_ALL) process.stdout.write(`kill ${count} of ${home.name}: ${[...asked.values()].join(' ')}\n`)
          home.begin()
        }
      }
      try {
        await Promise.race([chaos(), failed])
        isEnding = true
        await failed
      } catch (error) {
        for (const home of homes) process.stdout.write(`${home.name}: ${home.output}\n${readFileSync(join(home.home, "logs", "gateway.log"), "utf8").slice(-3000)}\n`)
        process.stdout.write(JSON.stringify([platform.said.slice(-10), platform.waiting]))
        throw error
      }
      await pause(1500)
      const counts = CHATS.map((chat) => countAnswers(platform, chat).slice(1))
      expect(counts).toEqual(CHATS.map((chat) => Array(asked.get(chat)).fill(1)))
      expect({ gaps, others: platform.said.filter(({ text }) => !text.startsWith('Answer ')) }).toEqual({ gaps: [], others: [] })
      expect(new Set(platform.askedBy).size).toBe(2)
      expect(Math.max(...waits)).toBeLessThan(30_000)
      if (IS_ALL)
        process.stdout.write(`${[...asked.values()].reduce((sum, each) => sum + each)} messages, ${platform.askedBy.length} take-overs, the longest ${Math.max(...waits)} ms\n`)
    },
  )
})
