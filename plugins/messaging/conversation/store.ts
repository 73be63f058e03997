/** Messages that wait for their turn, on disk: typed messages are not lost with the process. */
import { existsSync } from 'node:fs'
import { errorCode, type ImageContent, type QueuedMessage } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'
import type { ScopeHold, SharedScopes } from 'svc/sdk/store'
import { migrations } from './migrations.ts'
import { getWaitingScope } from './shared.ts'

interface Row {
  readonly number: number
  readonly pid: number
  readonly text: string
  readonly images: string | null
  readonly key: string | null
  readonly owner: string | null
}

export interface WaitingDeps {
  storage(): Storage
  readonly file: string
  /** Undefined while nothing is shared. */
  scopes?(): SharedScopes | undefined
  /** Of this process, other than that of any other. */
  readonly owner?: string
}

/** Text is JSON, because SQLite text cannot hold half a surrogate pair. */
export class WaitingStore {
  readonly #database: ManagedDatabase
  readonly #deps: WaitingDeps
  #hold: Promise<ScopeHold> | undefined

  constructor(deps: WaitingDeps) {
    this.#deps = deps
    this.#database = new ManagedDatabase(() => deps.storage(), { file: deps.file, migrations })
  }

  /** From now on others do not take what waits here. Throws what `SharedScopes.hold` throws. */
  async begin(): Promise<void> {
    const scopes = this.#scopes
    if (!scopes || !this.#deps.owner) return
    const held = await this.#hold?.catch(() => undefined)
    if (held && !held.signal.aborted) return
    this.#hold = scopes.hold(getWaitingScope(this.#deps.owner))
    await this.#hold
  }

  /** Whether a message is still this process's, which others may have taken for one that has ended. */
  async isOwn(id: string): Promise<boolean> {
    const scopes = this.#scopes
    if (!scopes) return true
    await this.begin()
    await scopes.follow()
    const sql = 'SELECT owner FROM waiting WHERE number = ?'
    const found = this.#database.use((database) => database.prepare<Pick<Row, 'owner'>>(sql).get(Number(id)))
    return found !== undefined && (found.owner === null || found.owner === this.#deps.owner)
  }

  /** Returns the id under which it is removed. */
  add(session: string, { text, images, key }: Omit<QueuedMessage, 'id'>, pid: number = process.pid): string {
    const sql = 'INSERT INTO waiting (number, session, pid, text, images, key, owner) VALUES (?, ?, ?, ?, ?, ?, ?)'
    const number = this.#scopes?.nextNumber() ?? null
    const kept = [JSON.stringify(text), images ? JSON.stringify(images) : null, key ?? null]
    const values = [number, session, pid, ...kept, this.#owner]
    const { lastInsertRowid } = this.#database.use((database) => database.prepare(sql).run(...values))
    return String(lastInsertRowid)
  }

  remove(id: string): void {
    this.#database.use((database) => database.prepare('DELETE FROM waiting WHERE number = ?').run(Number(id)))
  }

  /** Takes the entries that an ended process of this machine left for the session, the oldest first. */
  takeLeft(session: string): readonly QueuedMessage[] {
    return this.#claim(session, ({ owner, pid }) =>
      owner === null ? pid === process.pid || !isPidInUse(pid) : owner === this.#owner,
    )
  }

  /** The same for processes that others know by their lease. Throws what `SharedScopes.hold` throws. */
  async takeShared(session: string): Promise<readonly QueuedMessage[]> {
    const scopes = this.#scopes
    if (!scopes) return []
    await this.begin()
    const sql = 'SELECT DISTINCT owner FROM waiting WHERE session = ? AND owner IS NOT NULL AND owner <> ?'
    const others = this.#database.use((database) =>
      database.prepare<{ owner: string }>(sql).all(session, this.#deps.owner ?? ''),
    )
    const taken: QueuedMessage[] = []
    for (const { owner } of others) {
      const hold = await scopes.hold(getWaitingScope(owner)).catch((error: unknown) => {
        if (errorCode(error) === 'SCOPE_HELD') return undefined
        throw error
      })
      if (!hold) continue
      try {
        taken.push(...this.#claim(session, (row) => row.owner === owner))
        await this.#database.use((database) => database.synced(getWaitingScope(this.#deps.owner ?? '')))
      } finally {
        await hold.release()
      }
    }
    return taken
  }

  #claim(session: string, isLeft: (row: Row) => boolean): readonly QueuedMessage[] {
    return this.#database.use((database) =>
      database.transaction(() => {
        const sql = 'SELECT number, pid, text, images, key, owner FROM waiting WHERE session = ? ORDER BY number'
        const left = database.prepare<Row & Record<string, never>>(sql).all(session).filter(isLeft)
        const claim = database.prepare('UPDATE waiting SET pid = ?, owner = ? WHERE number = ?')
        for (const { number } of left) claim.run(process.pid, this.#owner, number)
        return left.map(({ number, text, images, key }) => ({
          id: String(number),
          text: JSON.parse(text) as string,
          ...(images !== null && { images: JSON.parse(images) as readonly ImageContent[] }),
          ...(key !== null && { key }),
        }))
      }),
    )
  }

  get #scopes(): SharedScopes | undefined {
    const scopes = this.#deps.scopes?.()
    return scopes?.isShared ? scopes : undefined
  }

  /** Null where a pid tells enough. */
  get #owner(): string | null {
    return (this.#scopes && this.#deps.owner) ?? null
  }

  /** The sessions in which something waits. */
  sessions(): readonly string[] {
    if (!existsSync(this.#deps.file)) return []
    const sql = 'SELECT DISTINCT session FROM waiting'
    return this.#database.use((database) => database.prepare<{ session: string }>(sql).all()).map((row) => row.session)
  }

  forget(sessions: readonly string[]): void {
    const sql = 'DELETE FROM waiting WHERE session IN (SELECT value FROM json_each(?))'
    this.#database.use((database) => database.prepare(sql).run(JSON.stringify(sessions)))
  }

  async close(): Promise<void> {
    const held = await this.#hold?.catch(() => undefined)
    await held?.release()
    await this.#database.close()
  }
}
