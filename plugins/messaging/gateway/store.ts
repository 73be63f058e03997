/** What came in, and which conversation belongs to which chat, in `gateway.db`. Every method is one durable step. */
import type { Clock } from 'svc/sdk'
import type { ChatType, InboundMessage, OverheardMessage, ReactionState, ReadCursor } from 'svc/sdk/platform'
import { type Database, ManagedDatabase, RowPruner, type Storage } from 'svc/sdk/storage'
import { getAccountScope } from 'svc/sdk/store'
import type { Written } from './chat-questions.ts'
import { migrations } from './migrations.ts'

/**
 * `waiting`: not begun; `running`: a turn or command began; `done`; `refused`: its sender may not write; `ignored`: it was
 * not meant for the agent; `parked`: it was begun too often.
 */
export type InboxState = 'waiting' | 'running' | 'done' | 'refused' | 'ignored' | 'parked'

/** A message that came in. */
export interface InboxRow {
  readonly number: number
  readonly trace: string
  /** Which conversation it belongs to. */
  readonly talk: string
  readonly state: InboxState
  readonly message: InboundMessage
  /** Names the turn that it became part of, with others. */
  readonly key: string | null
  /** How often it was begun. */
  readonly attempts: number
  readonly at: number
}

/** When its words were written and came in. */
export function toWritten({ message, at }: InboxRow): Written {
  const { press, text, at: writtenAt } = message
  return { text, receivedAt: at, ...(press !== undefined && { press }), ...(writtenAt !== undefined && { writtenAt }) }
}

/** The message of a person that a reaction is set on. */
export type MarkedMessage = Pick<InboundMessage, 'platform' | 'chatId' | 'threadId' | 'messageId'>

/** A reaction that is set, or to be replaced. */
export interface KeptMark {
  readonly message: MarkedMessage
  /** `none`: it is to be taken away. */
  readonly state: ReactionState | 'none'
}

/** The chat of a conversation. */
export interface ChatBinding {
  readonly talk: string
  readonly platform: string
  readonly chat: string
  readonly thread: string | null
  readonly kind: ChatType
  /** For people. */
  readonly name: string
  readonly session: string
}

interface Columns {
  readonly number: number
  readonly trace: string
  readonly talk: string
  readonly state: InboxState
  readonly payload: string | null
  readonly key: string | null
  readonly attempts: number
  readonly at: number
}

const INBOX = 'number, trace, talk, state, payload, key, attempts, at'
const TALK = 'talk, platform, chat, thread, kind, name, session'
/** How long ids are remembered, so that nothing is taken twice. */
const KEEP_MS = 30 * 86_400_000
const MAX_OVERHEARD = 50
const MAX_OVERHEARD_TEXT = 2000
const OVERHEARD_MS = 86_400_000
/** Reactions older than this are not corrected. */
const MARK_MS = 86_400_000

/** A message that begins a thread was said in the chat. */
function getMessagePlace({ platform, chatId, threadId, messageId }: InboundMessage): string {
  return JSON.stringify([platform, chatId, ...(threadId === undefined || threadId === messageId ? [] : [threadId])])
}

export class GatewayStore {
  readonly #database: ManagedDatabase
  readonly #clock: () => Clock
  readonly #old: RowPruner
  readonly #nextNumber: () => number | undefined

  /** `nextNumber`: for a row that other machines see, too. */
  constructor(
    storage: () => Storage,
    file: string,
    { clock, nextNumber = () => undefined }: { clock: () => Clock; nextNumber?: () => number | undefined },
  ) {
    this.#clock = clock
    this.#nextNumber = nextNumber
    this.#old = new RowPruner(
      { monotonic: () => clock().monotonic() },
      { table: 'inbox', where: "at < ? AND state NOT IN ('waiting', 'running')" },
    )
    const upkeep = (database: Database) => this.#forget(database)
    this.#database = new ManagedDatabase(storage, { file, migrations, upkeep })
  }

  /**
   * Keeps a message; undefined when it is there already and came less than `windowMs` ago. What is not taken is kept
   * without its words.
   */
  add(
    message: InboundMessage,
    { trace, talk, state, at, windowMs }: Pick<InboxRow, 'trace' | 'talk' | 'state' | 'at'> & { windowMs: number },
  ): InboxRow | undefined {
    const { platform, chatId, messageId } = message
    const payload = state === 'waiting' ? JSON.stringify(message) : null
    return this.#write((run, get) => {
      run(
        'DELETE FROM inbox WHERE platform = ? AND chat = ? AND message = ? AND at < ?',
        platform,
        chatId,
        messageId,
        at - windowMs,
      )
      const { changes } = run(
        `INSERT OR IGNORE INTO inbox (platform, chat, message, trace, talk, state, payload, at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        platform,
        chatId,
        messageId,
        trace,
        talk,
        state,
        payload,
        at,
      )
      if (changes === 0) return undefined
      const row = get<Columns>(`SELECT ${INBOX} FROM inbox WHERE trace = ?`, trace)
      return row && { ...row, message }
    })
  }

  /** The trace of a message that was taken. */
  findTrace({ platform, chatId, messageId }: InboundMessage): string | undefined {
    const sql = 'SELECT trace FROM inbox WHERE platform = ? AND chat = ? AND message = ?'
    return this.#read<{ trace: string }>(sql, platform, chatId, messageId)[0]?.trace
  }

  /** They begin, together, under one key. */
  begin(rows: readonly InboxRow[], key: string): void {
    this.#write((run) => {
      const sql = "UPDATE inbox SET state = 'running', key = ?, attempts = attempts + 1 WHERE number = ?"
      for (const { number } of rows) run(sql, key, number)
    })
  }

  /** Its words are not needed any more. */
  end(rows: readonly Pick<InboxRow, 'number'>[], state: 'done' | 'parked' = 'done'): void {
    this.#write((run) => {
      for (const { number } of rows) run('UPDATE inbox SET state = ?, payload = NULL WHERE number = ?', state, number)
    })
  }

  withKey(key: string): readonly InboxRow[] {
    return this.#rows("key = ? AND state = 'running'", key)
  }

  /**
   * How many turns messages of a conversation began after `since`, with the messages that the brake left unanswered. Messages that
   * are answered together count once, so a person who writes in bursts is not a loop.
   */
  came(talk: string, since: number): number {
    const sql = `SELECT COUNT(DISTINCT key) + COUNT(CASE WHEN key IS NULL AND state = 'parked' THEN 1 END) AS count
      FROM inbox WHERE talk = ? AND at > ?`
    return this.#read<{ count: number }>(sql, talk, since)[0]?.count ?? 0
  }

  /** Keeps what was said in a group and not to the agent: the newest few of each place, for a day. */
  overhear(message: InboundMessage, at: number): void {
    const { messageId, userId, userName = null, text } = message
    const place = getMessagePlace(message)
    this.#write((run) => {
      const values = 'INSERT INTO overheard (number, place, message, user, name, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)'
      const said = text.slice(0, MAX_OVERHEARD_TEXT)
      run(values, this.#nextNumber() ?? null, place, messageId, userId, userName, said, at)
      const newest = 'SELECT number FROM overheard WHERE place = ? ORDER BY number DESC LIMIT ?'
      run(`DELETE FROM overheard WHERE place = ? AND number NOT IN (${newest})`, place, place, MAX_OVERHEARD)
      run('DELETE FROM overheard WHERE at < ?', at - OVERHEARD_MS)
    })
  }

  /** What was overheard where a message was said, after a number; oldest first. */
  overheard(message: InboundMessage, after: number): readonly (OverheardMessage & { readonly number: number })[] {
    const sql = 'SELECT number, message, user, name, text FROM overheard WHERE place = ? AND number > ? ORDER BY number'
    const rows = this.#read<{ number: number; message: string; user: string; name: string | null; text: string }>(
      sql,
      getMessagePlace(message),
      after,
    )
    return rows.map(({ number, message: messageId, user: userId, name, text }) => {
      return { number, messageId, userId, text, ...(name !== null && { userName: name }) }
    })
  }

  /** Keeps which reaction a message is to have. */
  mark({ platform, chatId, messageId, threadId }: MarkedMessage, state: KeptMark['state']): void {
    const sql = 'INSERT OR REPLACE INTO marks (platform, chat, message, thread, state, at) VALUES (?, ?, ?, ?, ?, ?)'
    const at = this.#clock().now()
    this.#database.use((database) =>
      database.prepare(sql).run(platform, chatId, messageId, threadId ?? null, state, at),
    )
  }

  /** Nothing is left to do for its reaction. */
  unmark({ platform, chatId, messageId }: MarkedMessage): void {
    const sql = 'DELETE FROM marks WHERE platform = ? AND chat = ? AND message = ?'
    this.#database.use((database) => database.prepare(sql).run(platform, chatId, messageId))
  }

  isMarked({ platform, chatId, messageId }: MarkedMessage): boolean {
    const sql = 'SELECT 1 AS found FROM marks WHERE platform = ? AND chat = ? AND message = ?'
    return this.#read(sql, platform, chatId, messageId).length > 0
  }

  /** Reactions on a platform that an ended process left. Those of messages that are still to be answered are left out. */
  leftMarks(platform: string): readonly KeptMark[] {
    const before = this.#clock().now() - MARK_MS
    this.#database.use((database) => database.prepare('DELETE FROM marks WHERE at < ?').run(before))
    const sql = `SELECT chat, message, thread, state FROM marks WHERE platform = ? AND NOT (state = 'working' AND EXISTS (
      SELECT 1 FROM inbox WHERE inbox.platform = marks.platform AND inbox.chat = marks.chat
        AND inbox.message = marks.message AND inbox.state IN ('waiting', 'running')))`
    type Row = { chat: string; message: string; thread: string | null; state: KeptMark['state'] }
    return this.#read<Row>(sql, platform).map(({ chat: chatId, message: messageId, thread, state }) => {
      return { message: { platform, chatId, messageId, ...(thread !== null && { threadId: thread }) }, state }
    })
  }

  /** What is to be done, oldest first. */
  open(): readonly InboxRow[] {
    return this.#rows("state IN ('waiting', 'running')")
  }

  counts(): { readonly waiting: number; readonly running: number } {
    const sql = "SELECT state, COUNT(*) AS count FROM inbox WHERE state IN ('waiting', 'running') GROUP BY state"
    const counts = new Map(this.#read<{ state: string; count: number }>(sql).map((row) => [row.state, row.count]))
    return { waiting: counts.get('waiting') ?? 0, running: counts.get('running') ?? 0 }
  }

  findBinding(talk: string): ChatBinding | undefined {
    return this.#read<ChatBinding>(`SELECT ${TALK} FROM talks WHERE talk = ?`, talk)[0]
  }

  /** The chat in which a session is or was. */
  findBindingBySession(session: string): ChatBinding | undefined {
    const sql = `SELECT ${TALK.replaceAll(/\w+/g, 'talks.$&')} FROM talks JOIN talk_sessions USING (talk)
      WHERE talk_sessions.session = ?`
    return this.#read<ChatBinding>(sql, session)[0]
  }

  keepBinding(binding: ChatBinding, at: number): void {
    this.#write((run) => upsertBinding(run, binding, at))
  }

  /** In one step: the session is shown by another chat, and the one that showed it shows none. Survives a power cut. */
  moveBinding(from: ChatBinding, to: ChatBinding, at: number): void {
    this.#write((run) => {
      run("UPDATE talks SET session = '' WHERE talk = ? AND session = ?", from.talk, from.session)
      upsertBinding(run, { ...to, session: from.session }, at)
      run('UPDATE talk_sessions SET talk = ? WHERE session = ?', to.talk, from.session)
    })
  }

  /** How far a platform has read in an account. Written behind what was received before, and not waited for. */
  cursor(platform: string, account: string): ReadCursor {
    const where = 'platform = ? AND account = ?'
    return {
      get: () => this.#read<{ value: string }>(`SELECT value FROM cursors WHERE ${where}`, platform, account)[0]?.value,
      set: (value) =>
        this.#database.use((database) => {
          const sql = 'INSERT OR REPLACE INTO cursors (platform, account, value) VALUES (?, ?, ?)'
          database.prepare(sql).run(platform, account, value)
        }),
    }
  }

  /** Removes some rows older than a month; the rest is removed while the gateway runs. */
  prune(): void {
    this.#database.use((database) => this.#forget(database))
  }

  /** Whether there may be more. */
  #forget(database: Database): boolean {
    return this.#old.step(database, this.#clock().now() - KEEP_MS).hasMore
  }

  /** Resolves when what was written for a platform is where other gateways find it. */
  synced(platform: string): Promise<void> {
    return this.#database.use((database) => database.synced(getAccountScope(platform)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #rows(where: string, ...values: readonly (string | number)[]): readonly InboxRow[] {
    const sql = `SELECT ${INBOX} FROM inbox WHERE ${where} ORDER BY number`
    return this.#read<Columns>(sql, ...values).flatMap(({ payload, ...row }) =>
      payload === null ? [] : [{ ...row, message: JSON.parse(payload) as InboundMessage }],
    )
  }

  #read<Row>(sql: string, ...values: readonly (string | number)[]): Row[] {
    return this.#database.use((database) => database.prepare(sql).all(...values)) as Row[]
  }

  #write<T>(work: (run: Run, get: Get) => T): T {
    return this.#database.use((database) => {
      const run: Run = (sql, ...values) => database.prepare(sql).run(...values)
      const get = ((sql, ...values) => database.prepare(sql).get(...values)) as Get
      return database.transaction(() => work(run, get), { sync: true })
    })
  }
}

type Run = (sql: string, ...values: (string | number | null)[]) => { readonly changes: number }
type Get = <Row>(sql: string, ...values: (string | number | null)[]) => Row | undefined

function upsertBinding(run: Run, { talk, platform, chat, thread, kind, name, session }: ChatBinding, at: number): void {
  run(
    `INSERT INTO talks (talk, platform, chat, thread, kind, name, session, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (talk) DO UPDATE SET name = excluded.name, session = excluded.session, at = excluded.at`,
    talk,
    platform,
    chat,
    thread,
    kind,
    name,
    session,
    at,
  )
  run('INSERT OR IGNORE INTO talk_sessions (session, talk) VALUES (?, ?)', session, talk)
}
