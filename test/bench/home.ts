/** A home after years: 20,000 conversations and one of 5,000 turns; and how long maintenance keeps others waiting. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Message, Service, Session, SessionArchive, Sessions } from 'svc/sdk'
import { contention, freeze } from '../support/contention.ts'
import { type Bench, svc } from './bench.ts'
import { wallMs } from './child.ts'
import { compare } from './compare.ts'
import { type Row, rowOf } from './row.ts'
import { LAST_WORDS } from './scenario.ts'

const SESSIONS = 20_000
const TURNS = 5000
/** Sessions that are imported before other work gets its turn. */
const TOGETHER = 50
const PRUNED = 2000
/** Messages of the one conversation that is removed alone. */
const HUGE = 20_000
const IMPORTED = 500
const IMPORT_TURN_MS = 20
/** Messages that wait for the index, and searches that take a part of them in each. */
const WAITING = 5000
const SEARCHES = 40
/** Commands are slow and steady: a third of the runs is enough. */
const SHARE = 3
const BARE_MS = 2000
const BACKUP_LIMIT_MS = 60_000
const START = Date.UTC(2026, 0, 1)

/** Of `svc`, as far as it is needed. */
interface Opened {
  readonly home: string
  use<T>(token: Service<T>): T
  stop(): Promise<void>
}

export async function measureHome(bench: Bench): Promise<Row[]> {
  bench.progress('a home with 20,000 conversations')
  const full = { ...bench, env: { ...bench.env, SVC_HOME: bench.workspace.homeLike('home-full', bench.model.url) } }
  const empty = { ...bench, env: { ...bench.env, SVC_HOME: bench.workspace.homeLike('home-empty', bench.model.url) } }
  await inHome(full, async (sessions) => importMany(sessions, 0, SESSIONS))
  const rows = [
    await command(empty, full, 'sessions list', ['sessions', 'list'], ''),
    await command(empty, full, 'sessions search', ['sessions', 'search', 'harbour'], ''),
    await command(empty, full, 'one-shot prompt', ['chat', '-q', 'hi'], LAST_WORDS),
  ]
  return [...rows, ...(await turns(empty)), ...(await freezes(full))]
}

/** `ours` is the full home, `bare` the empty one. */
async function command(empty: Bench, full: Bench, name: string, args: readonly string[], prints: string): Promise<Row> {
  const run = (bench: Bench) => async () => {
    const program = svc(bench, args, prints)
    return { ms: (await bench.model.play({ rounds: 0, deltas: 1 }, () => wallMs(program))).result }
  }
  const comparison = await compare({ bare: run(empty), ours: run(full) }, Math.ceil(full.runs / SHARE))
  const row = rowOf(`${name}, 20,000 conversations`, 'ms', comparison.series('ms'), { max: 1.5, of: 'bare' })
  return { ...row, failures: comparison.failures }
}

/** What a turn reads and writes: `ours` in a conversation of 5,000 turns, `bare` in a fresh one. */
async function turns(bench: Bench): Promise<Row[]> {
  bench.progress('a conversation of 5,000 turns')
  return inHome(bench, async (sessions) => {
    const fresh = sessions.create({ surface: 'cli', cwd: '/' })
    const long = sessions.create({ surface: 'cli', cwd: '/' })
    for (let at = 0; at < TURNS; at++) turn(long, at)
    const rows = [await turnRow('a turn after 5,000', sessions, fresh, long)]
    const count = long.messages().length
    long.compress({ from: 0, to: count - 10, summary: [{ role: 'user', text: 'what was said' }] })
    return [...rows, await turnRow('a turn after 5,000, compressed', sessions, fresh, long, { max: 2 })]
  })
}

async function turnRow(
  work: string,
  sessions: Sessions,
  fresh: Session,
  long: Session,
  target?: Row['target'],
): Promise<Row> {
  let count = TURNS
  const run = (session: Session) => async () => {
    const started = performance.now()
    // As the API does it: a new object for each request.
    const opened = sessions.open(session.id)
    opened.messages()
    turn(opened, count++)
    return { ms: performance.now() - started }
  }
  const comparison = await compare({ bare: run(fresh), ours: run(long) }, 30)
  return rowOf(work, 'ms', comparison.series('ms'), target)
}

/** `ours` while that is done, `bare` a loop in which nothing happens. */
async function freezes(bench: Bench): Promise<Row[]> {
  bench.progress('maintenance of a large home')
  const bare = [(await freeze(() => pause(BARE_MS))).longestFreeze]
  const from = join(bench.installed, 'package.json')
  return inHome(bench, async (sessions, home) => {
    const file = join(home, 'data/sessions/sessions.db')
    const both = async (work: string, run: () => Promise<unknown>): Promise<Row[]> => {
      const { longestFreeze, longestWait } = await contention(file, from, run)
      return [
        rowOf(`longest freeze: ${work}`, 'ms', { bare, ours: [longestFreeze] }, { max: 50 }),
        rowOf(`longest wait of others: ${work}`, 'ms', { ours: [longestWait] }, { max: 100 }),
      ]
    }
    // The first runs took long enough for one.
    for (const kept of ['', '-previous']) rmSync(`${file}.backup${kept}`, { force: true })
    const limit = performance.now() + BACKUP_LIMIT_MS
    const backup = async () => {
      sessions.latest()
      while (!existsSync(`${file}.backup`) && performance.now() < limit) await pause(20)
    }
    const huge = sessions.create({ surface: 'cli', cwd: '/' })
    for (let at = 0; at < HUGE / 2; at++) turn(huge, at)
    const waiting = sessions.create({ surface: 'cli', cwd: '/' })
    unindexed(waiting)
    const index = async () => {
      for (let search = 0; search < SEARCHES; search++) {
        sessions.search('answer', { limit: 1 })
        await pause(1)
      }
    }
    return [
      ...(await both('backup', backup)),
      ...(await both('indexing of 5,000', index)),
      ...(await both('pruning of 2,000', () => sessions.prune({ usedBefore: START + PRUNED * 60_000 }))),
      ...(await both('removal of one of 20,000 messages', () => sessions.remove([huge.id]))),
      ...(await both('compacting', () => sessions.compact())),
      ...(await both('import of 500', () => importEach(sessions, SESSIONS, IMPORTED))),
    ]
  })
}

async function inHome<T>(bench: Bench, work: (sessions: Sessions, home: string) => Promise<T>): Promise<T> {
  const { openSvc } = await import(pathToFileURL(join(bench.installed, 'dist/kernel/library.js')).href)
  const sdk = await import(pathToFileURL(join(bench.installed, 'dist/sdk/index.js')).href)
  const opened = (await openSvc({ env: bench.env, plugins: ['sessions'], cwd: bench.workspace.cwd })) as Opened
  try {
    return await work(opened.use(sdk.Sessions as Service<Sessions>), opened.home)
  } finally {
    await opened.stop()
  }
}

/** Four messages each, a minute apart. */
async function importMany(sessions: Sessions, first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at++) {
    sessions.import(archiveOf(at), { soon: true })
    if (at % TOGETHER === 0) await pause(1)
  }
  await pause(1)
}

/** As `svc sessions import` does it, which leaves others as much time as it takes. */
async function importEach(sessions: Sessions, first: number, count: number): Promise<void> {
  let begun = performance.now()
  for (let at = first; at < first + count; at++) {
    const workedMs = performance.now() - begun
    if (workedMs >= IMPORT_TURN_MS) {
      await pause(workedMs)
      begun = performance.now()
    }
    sessions.import(archiveOf(at))
    await pause(0)
  }
}

function archiveOf(at: number): SessionArchive {
  const time = START + at * 60_000
  const said = (each: number): Message => {
    const text = `${each} ${wordOf(at * 4 + each)} ${wordOf(at + each)} ${wordOf(at * 31 + each)} ${at % 500 === 0 ? 'harbour' : ''}`
    return each % 2 ? { role: 'assistant', text } : { role: 'user', text }
  }
  return {
    session: {
      id: `bench_${at}`,
      surface: 'cli',
      cwd: `/work/${at % 40}`,
      title: `talk ${at}`,
      createdAt: time,
      updatedAt: time,
      messageCount: 4,
      usage: {},
    },
    messages: [0, 1, 2, 3].map((each) => ({ message: said(each), at: time, turnId: 't1', seq: 0 })),
    events: [],
  }
}

const wordOf = (seed: number) => ((seed * 2654435761) % 2 ** 32).toString(36)

/** A turn that has not ended yet, all of whose messages wait for the index. */
function unindexed(session: Session): void {
  const messages = Array.from({ length: WAITING }, (_, at): Message => ({ role: 'user', text: `answer ${wordOf(at)}` }))
  session.record({ turnId: 't1', events: [{ type: 'turn.start', text: '', provider: 'p', model: 'm' }], messages })
  session.record({ turnId: 't1', events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
}

function turn(session: Session, at: number): void {
  const turnId = `t${at}`
  session.record({
    turnId,
    events: [{ type: 'turn.start', text: 'hi', provider: 'p', model: 'm' }],
    messages: [{ role: 'user', text: `question ${at}` }],
    soon: true,
  })
  session.record({
    turnId,
    events: [
      { type: 'message.complete', text: `answer ${at}` },
      { type: 'turn.end', reason: 'completed', usage: {} },
    ],
    messages: [{ role: 'assistant', text: `answer ${at}` }],
    soon: true,
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
