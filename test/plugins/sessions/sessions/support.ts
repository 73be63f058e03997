/** A session its own store for each test, whose processes live and die as the test says. */
import { join } from 'node:path'
import type { Message, Session, TurnEventData } from 'svc/sdk'
import type { SessionAppend } from 'svc/sdk/sessions'
import { type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import type { Processes } from '../../../../plugins/sessions/sessions/processes.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { countingRandom, keepingLog, temporaryFolder } from '../storage/support.ts'

/** The processes of a test: `name` is the one that the store believes to be. */
export class TestProcesses implements Processes {
  name = 'first'
  readonly dead = new Set<string>()

  own() {
    return { pid: 1, identity: this.name }
  }

  isRunning({ identity }: { identity: string }): boolean {
    return !this.dead.has(identity)
  }

  /** What ran so far has died; the store belongs to a new process from now on. */
  crash(): void {
    this.dead.add(this.name)
    this.name = `after ${this.name}`
  }
}

export interface Fixture {
  readonly folder: string
  readonly clock: VirtualClock
  readonly processes: TestProcesses
  readonly storage: SqliteStorage
  /** What storage logged. */
  readonly lines: readonly string[]
  readonly store: SessionStore
  /** Another store on the same file, as a second process has it. */
  another(): SessionStore
}

export function sessionsFixture(folder = temporaryFolder()): Fixture {
  const clock = virtualClock(Date.now())
  const processes = new TestProcesses()
  const random = countingRandom()
  const log = keepingLog()
  const storage = new SqliteStorage({ clock, random, log })
  const file = join(folder, 'sessions.db')
  const trash = join(folder, 'trash')
  const another = () => new SessionStore({ storage: () => storage, file, clock, random, processes, trash })
  onTestFinished(() => storage.close())
  return { folder, clock, processes, storage, lines: log.lines, store: another(), another }
}

/** Opens a session and closes the turns whose process died, as the agent does before a new one. */
export function openClosed(store: SessionStore, id: string): Session {
  const session = store.open(id)
  for (let left = session.takeOver(); left; left = session.takeOver()) session.abandon(left.turnId)
  return session
}

/** Lets time pass until `work` is done. Copies wait for the real disk in between, which no virtual clock moves on. */
export async function finished<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  while (!isDone) {
    // About as fast as real time, so that a slow disk does not let hours pass.
    await clock.advance(1)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return work
}

export const here = { surface: 'cli', cwd: '/work' } as const

export const start: TurnEventData = { type: 'turn.start', text: 'hi', provider: 'demo', model: 'demo' }
export const end: TurnEventData = { type: 'turn.end', reason: 'completed', usage: {} }
export const delta = (text: string): TurnEventData => ({ type: 'message.delta', text })
export const user = (text: string): Message => ({ role: 'user', text })
export const assistant = (text: string): Message => ({ role: 'assistant', text })

/** Records events and messages of one turn. */
export function record(session: Session, turnId: string, events: TurnEventData[], messages: Message[] = []) {
  return session.record({ turnId, events, messages } satisfies SessionAppend)
}

/** A turn from start to end. */
export function wholeTurn(session: Session, turnId: string, question: string, answer: string): void {
  record(session, turnId, [start], [user(question)])
  record(session, turnId, [delta(answer)])
  record(session, turnId, [{ type: 'message.complete', text: answer }], [assistant(answer)])
  record(session, turnId, [end])
}

/** What is wrong with a conversation in the eyes of a model API, or undefined. */
export function whyInvalid(messages: readonly Message[]): string | undefined {
  let open: string[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.callId)) return `the answer to ${message.callId} follows no call`
      open = open.filter((id) => id !== message.callId)
    } else {
      if (open.length > 0) return `${open.join(', ')} not answered before the next message`
      if (message.role === 'assistant') open = (message.toolCalls ?? []).map((call) => call.id)
    }
  }
  return open.length > 0 ? `${open.join(', ')} never answered` : undefined
}
