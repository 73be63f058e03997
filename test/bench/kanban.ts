/** A board with 10,000 tasks, in this process: what a list, a look of the dispatcher and a notice of a change take. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Service } from 'svc/sdk'
import type { Boards } from 'svc/sdk/kanban'
import type { Bench } from './bench.ts'
import { pause } from './home-fill.ts'
import { createFastestRow, createRow, type Row, type Series } from './row.ts'

const TASKS = 10_000
/** One in so many has no parents; the others wait for two. */
const FREE = 10
const DONE = 3000
const PAGE = 200
const MAX_MS = 50
const MAX_BEHIND_MS = 100
/** Of a dispatcher. */
const LOOKED_AT = 500

interface Opened {
  readonly home: string
  use<T>(token: Service<T>): T
  stop(): Promise<void>
}

export async function measureKanban(bench: Bench): Promise<Row[]> {
  const home = bench.workspace.homeLike('home-kanban', bench.model.url)
  const made = { ...bench, env: { ...bench.env, SVC_HOME: home } }
  const one = await open(made)
  const other = await open(made)
  try {
    bench.progress(`a board with ${TASKS} tasks`)
    await fill(one.boards)
    const bare = openBare(bench, home)
    try {
      const rows = [
        ...(await compare(bench, `list of ${TASKS} tasks`, {
          ours: () => one.boards.list({ limit: TASKS }),
          bare: bare.list,
        })),
        ...(await compare(bench, `list of 200 of ${TASKS} tasks`, { ours: () => one.boards.list(), bare: bare.page })),
        ...(await compare(bench, `a look at ${TASKS} tasks`, { ours: () => look(one.boards), bare: bare.look })),
      ]
      const noticed = await measureNotices(bench, one.boards, other.boards)
      return [...rows, createRow('a change, until another process hears of it', 'ms', noticed, { max: MAX_BEHIND_MS })]
    } finally {
      bare.close()
    }
  } finally {
    await one.stop()
    await other.stop()
  }
}

async function open({ installed, env, workspace }: Bench) {
  const { openSvc } = await import(pathToFileURL(join(installed, 'dist/kernel/library.js')).href)
  const sdk = await import(pathToFileURL(join(installed, 'dist/sdk/kanban.js')).href)
  const opened = (await openSvc({ env, plugins: ['kanban'], cwd: workspace.cwd })) as Opened
  return { boards: opened.use(sdk.Boards as Service<Boards>), stop: () => opened.stop() }
}

async function fill(boards: Boards): Promise<void> {
  const ids: string[] = []
  for (let at = 0; at < TASKS; at++) {
    const parents = at % FREE === 0 ? [] : [ids[at - 1], ids[Math.floor(at / 2)]].map((id) => id as string)
    const { task } = await boards.create({
      ...{ title: `Write part ${at} of the report`, body: 'What it has to say. '.repeat(15), by: 'bench' },
      ...{ assignee: `profile-${at % 7}`, priority: at % 5, parents: [...new Set(parents)] },
    })
    ids.push(task.id)
    if (at < DONE) await boards.complete(task.id, { by: 'bench', summary: `Part ${at} is written.` })
    if (at % 100 === 0) await pause(0)
  }
}

/** What a dispatcher asks of the boards, where nothing can be started. */
async function look(boards: Boards): Promise<void> {
  await boards.runs({ board: null, isOpen: true, limit: 5000 })
  await boards.lapsed(null)
  await boards.recompute(null)
  await boards.runs({ board: null, isOpen: true, limit: 1000 })
  await boards.claimable({ board: null, limit: LOOKED_AT })
}

/** Alternately, after a round that warms up. The fastest is what a machine takes that does nothing else. */
async function compare(
  { runs }: Bench,
  name: string,
  works: Readonly<Record<'ours' | 'bare', () => unknown>>,
): Promise<Row[]> {
  const series = { ours: [] as number[], bare: [] as number[] }
  for (let at = 0; at <= runs; at++)
    for (const who of ['ours', 'bare'] as const) {
      const begun = performance.now()
      await works[who]()
      if (at > 0) series[who].push(performance.now() - begun)
    }
  return [createRow(name, 'ms', series, { max: MAX_MS }), createFastestRow(name, 'ms', series)]
}

interface Statement {
  all(...values: unknown[]): Record<string, unknown>[]
}

/** The same questions as a plain script would put them to the file. */
function openBare({ installed }: Bench, home: string) {
  const Driver = createRequire(join(installed, 'package.json'))('better-sqlite3') as new (
    file: string,
  ) => { prepare(sql: string): Statement; close(): void }
  const database = new Driver(join(home, 'data/shared-store/kanban.db'))
  const page = database.prepare(
    `select * from tasks where board = 'default' and status <> 'archived' order by created_at, id limit ?`,
  )
  const open = database.prepare('select * from runs where ended_at is null')
  const waiting = database.prepare(`select id from tasks where status = 'todo' and not exists (select 1 from links
    join tasks as parents on parents.id = links.parent where links.child = tasks.id and parents.status not in ('done', 'archived'))`)
  const ready = database.prepare(
    `select * from tasks where status = 'ready' order by priority desc, created_at limit ?`,
  )
  return {
    list: () => page.all(TASKS),
    page: () => page.all(PAGE),
    look: () => [open.all(), waiting.all(), ready.all(LOOKED_AT)],
    close: () => database.close(),
  }
}

/** From before a change of one to the call of the listener of the other. */
async function measureNotices({ runs }: Bench, one: Boards, other: Boards): Promise<Series> {
  const ours: number[] = []
  let heard = () => {}
  const watching = await other.watch(() => heard())
  try {
    const [task] = (await one.list({ limit: 1 })).tasks
    for (let at = 0; at < runs * 3; at++) {
      // At another moment of the interval at which the other looks each time.
      await pause(60 + ((at * 37) % 50))
      const arrived = new Promise<void>((resolve) => (heard = resolve))
      const begun = performance.now()
      await one.comment(task?.id ?? '', { author: 'bench', body: `remark ${at}` })
      await arrived
      ours.push(performance.now() - begun)
    }
  } finally {
    await watching[Symbol.asyncDispose]()
  }
  return { ours }
}
