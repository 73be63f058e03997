/**
 * Goals are state of their sessions: a conversation that is opened again has its goal, a branch begins with it, and `/undo`
 * restores the one from before.
 */
import { existsSync } from 'node:fs'
import { defineSessionState, type Session, type SessionState, type Sessions } from 'svc/sdk'
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'
import { type Goal, parseGoal } from './goal.ts'

const CurrentGoal: SessionState<Goal> = defineSessionState('goals:goal', { undo: 'restores', parse: parseGoal })

/** Where an earlier version kept goals. */
const EARLIER = ['CREATE TABLE goals (session TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID']

export class GoalStore {
  readonly #sessions: () => Sessions
  readonly #file: string
  readonly #earlier: ManagedDatabase

  constructor(sessions: () => Sessions, storage: () => Storage, file: string) {
    this.#sessions = sessions
    this.#file = file
    this.#earlier = new ManagedDatabase(storage, { file, migrations: EARLIER })
  }

  get(sessionId: string): Goal | undefined {
    const session = this.#sessions().open(sessionId)
    return session.state(CurrentGoal) ?? this.#moved(session)
  }

  /** `with`: it belongs to the message that is said next. */
  set(sessionId: string, goal: Goal, options: { readonly with?: 'next-message' } = {}): void {
    this.#sessions().open(sessionId).setState(CurrentGoal, goal, options)
  }

  remove(sessionId: string): void {
    this.#sessions().open(sessionId).setState(CurrentGoal, undefined)
  }

  close(): void | Promise<void> {
    return this.#earlier.close()
  }

  /** The goal that an earlier version kept; from now on it is part of the session. */
  #moved(session: Session): Goal | undefined {
    if (!existsSync(this.#file)) return undefined
    return this.#earlier.use((database) => {
      const row = database.prepare<{ data: string }>('SELECT data FROM goals WHERE session = ?').get(session.id)
      if (!row) return undefined
      session.setState(CurrentGoal, read(row.data) as Goal)
      database.prepare('DELETE FROM goals WHERE session = ?').run(session.id)
      // A goal that is not valid is reported and kept by the session.
      return session.state(CurrentGoal)
    })
  }
}

function read(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}
