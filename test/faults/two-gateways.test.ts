/**
 * Two gateways on one PostgreSQL: one is killed, the database is restarted, connections are cut. Each message is answered once, each task
 * done once, and each due moment of a job has one row.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CronJobs } from 'svc/sdk/jobs'
import { Boards } from 'svc/sdk/kanban'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { startModelServer } from '../support/model-server.ts'
import { missingPostgres, Postgres } from '../support/postgres.ts'
import { IS_ALL } from '../support/today.ts'
import { kill } from './gateway-restart.ts'
import { CountingPlatform, KilledHome } from './two-gateways.ts'

const missing = missingPostgres()
/** By day one, with a restart of the database. */
const KILLS = IS_ALL ? 100 : 1
const RESTART_EVERY = IS_ALL ? 5 : 1
const ANSWER_MS = 90_000
const MAX_KILLS = 2
const TASKS_AT_ONCE = 2
const TASK_MS = 180_000
const CHATS = ['ann', 'ben', 'cleo']
const LONG_MS = IS_ALL ? 3_600_000 : 240_000

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

/** A worker says that its task is done, and then ends. */
function answerWorker(body: Record<string, unknown>): Reply {
  const { role } = (body['messages'] as readonly { readonly role: string }[]).at(-1) ?? {}
  if (role === 'tool') return { text: 'That was all.' }
  return { calls: [{ name: 'kanban_complete', arguments: { summary: 'It is done.' } }], delayMs: 200 }
}

type Stage = Awaited<ReturnType<typeof stage>>

async function stage() {
  const platform = await CountingPlatform.start()
  onTestFinished(() => platform.close())
  const gaps: string[] = []
  const model = await startModelServer({
    replies: ({ raw, body }) => {
      if (raw.includes('"kanban_complete"')) return answerWorker(body)
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
  const kernel = await testKernel({ plugins: ['kanban', 'cron'], env: { SVC_STORAGE_URL: database.url } })
  onTestFinished(() => kernel.stop())
  const boards = kernel.use(Boards)
  onTestFinished(async () => {
    for (const { worker } of await boards.runs({ board: null, isOpen: true })) if (worker) kill(-worker.pid)
  })
  return { platform, homes, gaps, boards, cron: kernel.use(CronJobs) }
}

/** Gives work to the board, a few tasks at a time, until it is told to end. */
class Work {
  readonly ids: string[] = []
  /** Rejects when a task does not end. */
  readonly done: Promise<unknown>
  readonly #boards: Boards
  isEnding = false

  constructor(boards: Boards) {
    this.#boards = boards
    this.done = Promise.all(Array.from({ length: TASKS_AT_ONCE }, (_, at) => this.#give(at)))
    this.done.catch(() => {})
  }

  /** How often each task was completed, and the tasks that are not done, with the reason. */
  async report(): Promise<{ readonly completed: readonly number[]; readonly open: readonly string[] }> {
    const tasks = await Promise.all(this.ids.map((id) => this.#boards.get(id)))
    const events = await Promise.all(this.ids.map((taskId) => this.#boards.events({ taskId, kinds: ['completed'] })))
    const open = tasks.filter(({ status }) => status !== 'done')
    return {
      completed: events.map(({ length }) => length),
      open: open.map(({ id, status, lastError }) => `${id} ${status} ${lastError}`),
    }
  }

  async #give(at: number): Promise<void> {
    do {
      const task = { title: `Task ${at}`, assignee: 'default', by: 'test', maxRetries: 100 }
      const { id } = (
        await patiently(() => this.#boards.create({ ...task, idempotencyKey: `${at} ${this.ids.length}` }))
      ).task
      this.ids.push(id)
      const until = Date.now() + TASK_MS
      while ((await patiently(() => this.#boards.get(id))).status !== 'done') {
        if (Date.now() > until) throw new Error(`task ${id} does not end`)
        await pause(200)
      }
    } while (!this.isEnding)
  }
}

/** Again while the database is away. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 20) throw error
    }
    await pause(500)
  }
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
async function disturb({ platform, homes }: Pick<Stage, 'platform' | 'homes'>, people: People): Promise<number[]> {
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

/** One row for each second; what ran to its end was told once, what was cut off at most once. */
async function expectChores({ cron, platform }: Stage): Promise<void> {
  const runs = await cron.runs({ job: 'chore', limit: 100_000 })
  const moments = runs.map(({ dueAt }) => dueAt).sort((one, two) => one - two)
  const first = moments[0] ?? 0
  expect(moments).toEqual(moments.map((_, at) => first + at * 1000))
  const told = (dueAt: number) => platform.chores.filter((each) => each === dueAt).length
  expect(
    runs.filter(({ outcome, status, dueAt }) => outcome === 'ran' && status === 'ok' && told(dueAt) !== 1),
  ).toEqual([])
  expect(moments.filter((dueAt) => told(dueAt) > 1)).toEqual([])
  expect(runs.some(({ status }) => status === 'ok')).toBe(true)
}

describe.skipIf(missing !== undefined)(`two gateways${missing ? ` (${missing})` : ''}`, () => {
  test('each message is answered once, and conversations go on at the other gateway', {
    timeout: LONG_MS,
  }, async () => {
    const staged = await stage()
    const { platform, homes, gaps } = staged
    for (const home of homes) home.begin()
    const people = new People(platform)
    const work = new Work(staged.boards)
    let waits: readonly number[] = []
    try {
      waits = await disturb(staged, people)
      people.isEnding = true
      work.isEnding = true
      await people.done
      await work.done
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
    expect(await work.report()).toEqual({ completed: work.ids.map(() => 1), open: [] })
    await expectChores(staged)
    expect(Math.max(...waits)).toBeLessThan(30_000)
    if (IS_ALL)
      process.stdout.write(
        `${people.count} messages, ${platform.askedBy.length} connections, the longest take-over ${Math.max(...waits)} ms\n`,
      )
  })
})
