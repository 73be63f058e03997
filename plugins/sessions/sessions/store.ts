/** The service: makes, opens, finds and lists sessions. */
import { type Random, type Session, type SessionSummary, type Sessions, SvcError } from 'svc/sdk'
import { SessionBranched, SessionsRestored } from 'svc/sdk/hooks'
import type {
  RemovedSessions,
  SessionArchive,
  SessionFilter,
  SessionReader,
  SessionSearchOptions,
  SessionSearchResult,
  SessionStats,
} from 'svc/sdk/sessions'
import { exportSession, importSession } from './archive.ts'
import { branchLength } from './branch.ts'
import { type NewSession, type SessionRow, toSummary } from './catalogue.ts'
import { compact } from './compact.ts'
import { readFigures } from './figures.ts'
import { Indexing } from './indexing.ts'
import { createTitle, sessionId } from './naming.ts'
import { readSession } from './reader.ts'
import { listWorkingSessions, removable, removeInBatches, tidyTrash } from './removal.ts'
import { search } from './search.ts'
import { StoredSession } from './session.ts'
import { SessionDatabase, type SessionDatabaseDeps, type SessionTables } from './session-database.ts'
import { Trash } from './trash.ts'
import { Upkeep } from './upkeep.ts'

export interface StoreDeps extends SessionDatabaseDeps {
  readonly random: Random
  /** The folder of copies. */
  readonly trash: string
}

const listLimit = 100
/** What a branch keeps of the title, so that its mark fits behind it. */
const titleRoom = 71
const idAttempts = 20

/** Contract: `Sessions` of the SDK. Several stores, in this process and in others, may work on one file. */
export class SessionStore implements Sessions {
  readonly #deps: StoreDeps
  /** The tables, for what the plugin does beside the service. */
  readonly database: SessionDatabase
  readonly trash: Trash
  readonly #indexing: Indexing

  constructor(deps: StoreDeps) {
    this.#deps = deps
    this.trash = new Trash({ ...deps, folder: deps.trash })
    this.#indexing = new Indexing(deps.clock)
    const upkeep = new Upkeep({ clock: deps.clock, indexing: this.#indexing, tidy: () => this.#tidy() })
    this.database = new SessionDatabase({ ...deps, upkeep: (database) => upkeep.step(database) })
  }

  create({ surface = 'plugin', cwd = process.cwd(), title = '' }: Parameters<Sessions['create']>[0] = {}): Session {
    return this.#insert({ surface, cwd, title: createTitle(title) })
  }

  open(id: string): Session {
    return this.database.use((tables) => {
      const row = tables.catalogue.identify(id)
      return new StoredSession(row, this.database, { tables, key: row })
    })
  }

  summary(id: string): SessionSummary {
    return this.database.use(({ catalogue }) => toSummary(catalogue.find(id)))
  }

  unfinished({ surface }: { surface?: string } = {}): readonly SessionSummary[] {
    return this.database.use(({ catalogue, turns }) =>
      catalogue
        .withOpenTurns(surface)
        .filter(({ number }) => turns.crashed(number).length > 0)
        .map(toSummary),
    )
  }

  findTurn(turnId: string): SessionSummary | undefined {
    return this.database.use(({ catalogue }) => {
      const row = catalogue.withTurn(turnId)
      return row && toSummary(row)
    })
  }

  latest(where: { surface?: string; cwd?: string } = {}): SessionSummary | undefined {
    return this.database.use(({ catalogue }) => catalogue.latest(where))
  }

  list(filter: SessionFilter = {}): readonly SessionSummary[] {
    return this.database.use(({ catalogue }) => catalogue.list({ limit: listLimit, ...filter }).map(toSummary))
  }

  search(query: string, options: SessionSearchOptions = {}): readonly SessionSearchResult[] {
    return this.database.use(({ database }) => {
      this.#indexing.index(database)
      return search(database, query, options)
    })
  }

  rename(id: string, title: string): void {
    const kept = createTitle(title)
    if (kept === undefined)
      throw new SvcError('SESSION_TITLE_EMPTY', 'The title has no visible character. Give it one with words.', {
        status: 400,
      })
    this.database.use(({ catalogue }) => catalogue.rename(catalogue.find(id).number, kept))
  }

  async remove(ids: readonly string[], { copy }: { copy?: false } = {}): Promise<RemovedSessions<string>> {
    const meant = this.database.use((tables) => removable(tables, ids))
    const how = copy === false ? { ...this.#removal, trash: undefined } : this.#removal
    const { removed, ...copies } = await removeInBatches(this.database, meant, how)
    return { removed: removed.map(({ id }) => id), ...copies }
  }

  branch(
    id: string,
    { upTo, atSeq, at, as }: { upTo?: number; atSeq?: number; at?: number; as?: string } = {},
  ): Session {
    const { surface, cwd, title } = this.database.use(({ catalogue }) => catalogue.find(id))
    const name = title === undefined ? undefined : createTitle(`${[...title].slice(0, titleRoom).join('')} (branch)`)
    const entry = { surface, cwd, title: name, parent: id, ...(as !== undefined && { as }) }
    let messageCount = 0
    const made = this.#insert(entry, ({ catalogue, journal, edits, states }, branch) => {
      // Checked again: only now can no other process change or remove it.
      const parent = catalogue.find(id)
      const read = edits.read(parent.number, atSeq, at)
      const count = branchLength(
        read.map(({ message }) => message),
        upTo,
      )
      messageCount = count
      const taken = read.slice(0, count)
      const messages = taken.map(({ message, at, turnId }) => ({ message, at, turnId, seq: 0 }))
      journal.restore(branch.number, { events: [], messages })
      const prompt = catalogue.systemPrompt(parent.number)
      if (prompt !== undefined) catalogue.setSystemPrompt(branch.number, prompt)
      const point = { taken, isWhole: count === read.length, atSeq, at }
      states.branch({ parent: parent.number, branch: branch.number }, point)
      catalogue.restore(branch.number, branch, count)
      catalogue.branchedAt(branch.number, read[count - 1]?.last ?? 0)
    })
    void this.database.announce(SessionBranched, { sessionId: made.id, parentId: id, messageCount })
    return made
  }

  figures(ids: readonly string[]): ReturnType<Sessions['figures']> {
    return this.database.use((tables) => readFigures(tables, ids))
  }

  family(id: string): readonly SessionSummary[] {
    return this.database.use(({ catalogue }) => {
      catalogue.identify(id)
      return catalogue.family(id).map(toSummary)
    })
  }

  async prune(
    filter: SessionFilter,
    { dryRun = false }: { dryRun?: boolean } = {},
  ): Promise<RemovedSessions<SessionSummary>> {
    const busy = this.database.use(listWorkingSessions)
    const idle = <T extends { readonly number: number }>(sessions: readonly T[]) =>
      sessions.filter(({ number }) => !busy.has(number))
    if (dryRun) return { removed: this.database.use(({ catalogue }) => idle(catalogue.list(filter)).map(toSummary)) }
    const old = this.database.use(({ catalogue }) => idle(catalogue.marks(filter)))
    return removeInBatches(this.database, old, this.#removal)
  }

  count(): number {
    return this.database.use(({ catalogue }) => catalogue.count())
  }

  stats(): SessionStats {
    return this.database.use(({ catalogue }) => catalogue.stats())
  }

  compact(options: Parameters<Sessions['compact']>[0] = {}): ReturnType<Sessions['compact']> {
    return compact(this.database, { ...options, clock: this.#deps.clock, indexing: this.#indexing })
  }

  export(id: string): SessionArchive {
    return this.database.use((tables) => exportSession(tables, id))
  }

  read(id: string): SessionReader {
    return readSession((work) => this.database.use(work), id)
  }

  import(archive: SessionArchive, { soon = false }: { readonly soon?: boolean } = {}): void {
    this.database.use((tables) => importSession(tables, archive, soon))
    // With `soon` it is a way to create a session, which was never gone.
    if (!soon) void this.database.announce(SessionsRestored, { sessions: [this.summary(archive.session.id)] })
  }

  /** Nothing works after this. */
  close(): void | Promise<void> {
    return this.database.close()
  }

  #tidy(): void {
    this.database.use(({ catalogue }) => tidyTrash(this.trash, catalogue, this.#deps.clock))
  }

  get #removal() {
    return { clock: this.#deps.clock, trash: this.trash }
  }

  /** Gives a session a free id, or the one that is meant; `fill` is part of the same commit. */
  #insert(
    { as, ...session }: Omit<NewSession, 'id' | 'at'> & { readonly as?: string },
    fill?: (tables: SessionTables, made: SessionRow) => void,
  ): Session {
    for (let attempt = 0; attempt < (as === undefined ? idAttempts : 1); attempt++) {
      const at = this.#deps.clock.now()
      const entry = { ...session, id: as ?? sessionId(at, this.#deps.random), at }
      const isFree = this.database.use((tables) => {
        if (!fill) return tables.catalogue.insert(entry) !== undefined
        return tables.journal.exclusively(() => {
          if (tables.catalogue.insert(entry) === undefined) return false
          fill(tables, tables.catalogue.find(entry.id))
          return true
        })
      })
      if (isFree) return new StoredSession(entry, this.database)
    }
    if (as !== undefined)
      throw new SvcError('SESSION_ID_TAKEN', `There is a session "${as}" already. Choose another id.`, { status: 409 })
    throw new SvcError('SESSION_ID_TAKEN', `No free session id was found in ${idAttempts} attempts. Try again.`)
  }
}
