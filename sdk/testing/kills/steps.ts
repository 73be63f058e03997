/** The numbered steps of a gateway: commits, messages that come in, calls of the platform. At one of them the process dies. */
import type { Platform } from '../../platforms.ts'
import type { Database, PreparedStatement, Storage } from '../../storage.ts'

/** Counts steps once it is told to, and ends the process before the one with the number `at`; 0: none. */
export class Steps {
  readonly #at: number
  #count = 0
  #counts = false

  constructor(at: number) {
    this.#at = at
  }

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#counts = true
  }

  step<T>(work: () => T): T {
    if (this.#counts && ++this.#count === this.#at) process.kill(process.pid, 'SIGKILL')
    return work()
  }
}

/** Every transaction, and every statement that writes outside of one, is a step. */
export function countCommits(storage: Storage, steps: Steps): void {
  const open = storage.open.bind(storage)
  storage.open = (options) => countedDatabase(open(options), steps)
}

function countedDatabase(database: Database, steps: Steps): Database {
  let depth = 0
  const commit = <T>(work: () => T): T => (depth > 0 ? work() : steps.step(work))
  return {
    file: database.file,
    exec: (sql) => database.exec(sql),
    close: database.close,
    [Symbol.asyncDispose]: async () => database.close(),
    synced: (scope) => steps.step(() => database.synced(scope)),
    committed: () => database.committed(),
    transaction: (work, options) =>
      commit(() => {
        depth++
        try {
          return database.transaction(work, options)
        } finally {
          depth--
        }
      }),
    hold() {
      const held = database.hold()
      depth++
      const end = (work: () => void) => {
        depth--
        work()
      }
      return { commit: () => end(() => commit(() => held.commit())), rollBack: () => end(() => held.rollBack()) }
    },
    prepare<Row>(sql: string): PreparedStatement<Row> {
      const statement = database.prepare<Row>(sql)
      if (/^\s*(SELECT|PRAGMA|WITH)/i.test(sql)) return statement
      const { givesRows, isReadOnly } = statement
      return {
        givesRows,
        isReadOnly,
        run: (...values) => commit(() => statement.run(...values)),
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      }
    },
  }
}

/** What comes in and what goes out. The clock is real, so the platform is not paced. */
export function countCalls(platform: Platform, steps: Steps): void {
  const { connect, send, edit, limits } = platform
  const { rate: _, ...unpaced } = limits
  const change = (name: keyof Platform, value: unknown) =>
    Object.defineProperty(platform, name, { value, configurable: true, writable: true })
  change('limits', { ...unpaced, editEveryMs: 0 })
  change('connect', (link: Parameters<Platform['connect']>[0]) =>
    connect.call(platform, {
      signal: link.signal,
      alive: () => link.alive(),
      lost: (...why) => link.lost(...why),
      cursor: (account) => link.cursor(account),
      receive: (message) => steps.step(() => link.receive(message)),
    }),
  )
  change('send', (message: Parameters<Platform['send']>[0]) => steps.step(() => send.call(platform, message)))
  if (edit) change('edit', (message: Parameters<typeof edit>[0]) => steps.step(() => edit.call(platform, message)))
}
