/** Fills homes through the product: conversations of years, and long ones. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Message, Service, Session, Sessions } from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import type { Bench } from './bench.ts'

/** Sessions that are imported before other work gets its turn. */
const TOGETHER = 50
export const START = Date.UTC(2026, 0, 1)

/** Of `svc`, as far as it is needed. */
interface Opened {
  readonly home: string
  use<T>(token: Service<T>): T
  stop(): Promise<void>
}

/** Opens the home of `bench.env` in this process. */
export async function inHome<T>(bench: Bench, work: (sessions: Sessions, home: string) => Promise<T>): Promise<T> {
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
export async function importMany(sessions: Sessions, first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at++) {
    sessions.import(createArchive(at), { soon: true })
    if (at % TOGETHER === 0) await pause(1)
  }
  await pause(1)
}

export const sessionId = (at: number) => `bench_${at}`

export function createArchive(at: number): SessionArchive {
  const time = START + at * 60_000
  const said = (each: number): Message => {
    const text = `${each} ${createWord(at * 4 + each)} ${createWord(at + each)} ${createWord(at * 31 + each)} ${at % 500 === 0 ? 'harbour' : ''}`
    return each % 2 ? { role: 'assistant', text } : { role: 'user', text }
  }
  return {
    session: {
      id: sessionId(at),
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

export const createWord = (seed: number) => ((seed * 2654435761) % 2 ** 32).toString(36)

export function turn(session: Session, at: number): void {
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
