/** Stages on disk, in `traces.db`. They are gathered and written together: a message has many. */
import type { Clock, Logger } from 'svc/sdk'
import type { TraceStep } from 'svc/sdk/sessions'
import { type Database, ManagedDatabase, RowPruner, type Storage } from 'svc/sdk/storage'

/** How long stages are kept, and how many. */
export const KEEP_MS = 30 * 86_400_000
export const MAX_STAGES = 200_000
/** Gathered for so long, or until there are so many. */
const GATHER_MS = 250
const MAX_GATHERED = 500
/** After so many new ones it is looked for old ones. */
const TIDY_EVERY = 2000
const LONGEST_TEXT = 1000
const LONGEST_ID = 200
const MAX_IDS = 20

export interface TraceDeps {
  readonly storage: () => Storage
  readonly clock: () => Clock
  /** Without secrets. */
  readonly mask: (text: string) => string
  readonly log: Logger
  readonly file: string
  readonly mostStages?: number
}

/** A stage with the ids that were first named there. */
export interface KnownStage extends TraceStep {
  readonly ids: readonly string[]
}

/** A trace for a list. */
export interface TraceSummary {
  readonly trace: string
  readonly at: number
  readonly stage: string
}

interface Gathered extends TraceStep {
  readonly trace: string
  readonly also: readonly string[]
}

const migrations = [
  `
CREATE TABLE stages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trace TEXT NOT NULL,
  at INTEGER NOT NULL,
  stage TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX stages_trace ON stages (trace, id);
CREATE INDEX stages_at ON stages (at);
CREATE TABLE ids (
  id TEXT NOT NULL,
  trace TEXT NOT NULL,
  stage INTEGER NOT NULL REFERENCES stages (id) ON DELETE CASCADE,
  PRIMARY KEY (id, trace)
);
CREATE INDEX ids_stage ON ids (stage);
`,
]

export class TraceStore {
  readonly #deps: TraceDeps
  readonly #database: ManagedDatabase
  readonly #old: RowPruner
  readonly #beyond: RowPruner
  #gathered: Gathered[] = []
  #cancel: (() => void) | undefined
  /** The first writing looks for old stages, too. */
  #untidied = TIDY_EVERY
  #closed = false

  constructor(deps: TraceDeps) {
    this.#deps = deps
    const clock = { monotonic: () => deps.clock().monotonic() }
    this.#old = new RowPruner(clock, { table: 'stages', where: 'at < ?' })
    this.#beyond = new RowPruner(clock, { table: 'stages', where: 'id <= (SELECT max(id) FROM stages) - ?' })
    const upkeep = (database: Database) => this.#forget(database)
    this.#database = new ManagedDatabase(deps.storage, { file: deps.file, migrations, upkeep })
  }

  note(trace: string, stage: string, text: string, also: readonly string[] = []): void {
    if (this.#closed) return
    const at = this.#deps.clock().now()
    this.#gathered.push({ trace, stage, text, also, at })
    if (this.#gathered.length >= MAX_GATHERED) this.flush()
    else this.#cancel ??= this.#deps.clock().after(GATHER_MS, () => this.flush(), { background: true })
  }

  /** Writes buffered entries. Entries that cannot be written are dropped and logged: tracing must not stop anything. */
  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const gathered = this.#gathered.splice(0)
    if (gathered.length === 0) return
    try {
      this.#database.use((database) => database.transaction(() => this.#write(database, gathered)))
    } catch (error) {
      this.#deps.log.warn('stages of messages could not be kept', {
        count: gathered.length,
        error,
      })
    }
  }

  /** Traces that have exactly this id, the newest first; else those with an id that begins like this. */
  find(id: string): string[] {
    const exact = this.#traces('SELECT trace, max(stage) AS stage FROM ids WHERE id = ? GROUP BY trace', id)
    if (exact.length > 0 || id === '') return exact
    // There is no character after the last one.
    const range = 'SELECT trace, max(stage) AS stage FROM ids WHERE id >= ? AND id < ? GROUP BY trace'
    return this.#traces(range, id, `${id}\u{10ffff}`)
  }

  /** In the order in which they happened. */
  stages(trace: string): KnownStage[] {
    return this.#read((database) => {
      const named = database
        .prepare<{ id: string; stage: number }>('SELECT id, stage FROM ids WHERE trace = ?')
        .all(trace)
      return database
        .prepare<TraceStep & { readonly id: number }>(
          'SELECT id, at, stage, text FROM stages WHERE trace = ? ORDER BY id',
        )
        .all(trace)
        .map(({ id, at, stage, text }) => ({
          at,
          stage,
          text,
          ids: named.filter((each) => each.stage === id && each.id !== trace).map((each) => each.id),
        }))
    })
  }

  newest(count: number): TraceSummary[] {
    return this.#read((database) =>
      database
        .prepare<TraceSummary>(
          'SELECT trace, at, stage FROM stages WHERE id IN (SELECT max(id) FROM stages GROUP BY trace) ORDER BY id DESC LIMIT ?',
        )
        .all(count),
    )
  }

  close(): void | Promise<void> {
    this.flush()
    this.#closed = true
    return this.#database.close()
  }

  #traces(sql: string, ...values: readonly string[]): string[] {
    return this.#read((database) =>
      database
        .prepare<{ trace: string; stage: number }>(`${sql} ORDER BY stage DESC LIMIT 50`)
        .all(...values)
        .map(({ trace }) => trace),
    )
  }

  #read<T>(work: (database: Database) => T): T {
    this.flush()
    return this.#database.use(work)
  }

  #write(database: Database, gathered: readonly Gathered[]): void {
    const stage = database.prepare('INSERT INTO stages (trace, at, stage, text) VALUES (?, ?, ?, ?)')
    const id = database.prepare('INSERT OR IGNORE INTO ids VALUES (?, ?, ?)')
    for (const each of gathered) {
      const text = this.#deps.mask(each.text).slice(0, LONGEST_TEXT)
      const { lastInsertRowid } = stage.run(each.trace, each.at, each.stage, text)
      for (const name of [each.trace, ...each.also].slice(0, MAX_IDS))
        if (name !== '') id.run(name.slice(0, LONGEST_ID), each.trace, lastInsertRowid)
    }
    this.#untidied += gathered.length
    if (this.#untidied >= TIDY_EVERY) this.#tidy(database)
  }

  #tidy(database: Database): void {
    this.#untidied = 0
    this.#forget(database)
  }

  /** A part of what is too old or too much; whether there may be more. */
  #forget(database: Database): boolean {
    const old = this.#old.step(database, this.#deps.clock().now() - KEEP_MS)
    const beyond = this.#beyond.step(database, this.#deps.mostStages ?? MAX_STAGES)
    return old.hasMore || beyond.hasMore
  }
}
