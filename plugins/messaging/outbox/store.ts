/** Messages and their parts on disk, in `outbox.db`. Every method is one durable step. */
import type { Clock } from 'svc/sdk'
import { classifyMediaType } from 'svc/sdk/media'
import type { DeliveryState, MessageButton, OutboundFile } from 'svc/sdk/platform'
import { type Database, ManagedDatabase, RowPruner, type Storage } from 'svc/sdk/storage'
import { getAccountScope } from 'svc/sdk/store'
import { migrations } from './migrations.ts'

/** A message as it is kept. */
export interface KeptMessage {
  readonly number: number
  readonly key: string
  readonly platform: string
  readonly chat: string
  readonly thread: string | null
  readonly replyTo: string | null
  /** Markdown, as it was posted. */
  readonly text: string
  /** What leaves in its place: the text after `BeforeDelivery`; null until it was called for this text. */
  readonly leaving: string | null
  readonly draft: number
  /** JSON of `Button[]`. */
  readonly buttons: string | null
  /** JSON of `KeptFile[]`. */
  readonly files: string
  readonly trace: string | null
  readonly at: number
}

/** An attached file; `path` is a copy that belongs to svc. */
export interface KeptFile {
  readonly path: string
  readonly name: string
  readonly mediaType: string
  readonly kind: OutboundFile['kind']
  /** In bytes. */
  readonly size: number
  readonly isVoice?: true
  readonly caption?: string
  readonly id?: string
}

/** One message of the platform. */
export interface Part {
  readonly message: number
  readonly part: number
  readonly state: DeliveryState
  /** What it is to say, in the platform's markup. */
  readonly text: string
  /** Which file it is, the first of several; null for a text. */
  readonly file: number | null
  /** JSON of the numbers of all its files; null where it has one or none. */
  readonly album: string | null
  /** The text of the part if an unconfirmed attempt arrived. */
  readonly tried: string | null
  /** What it says as far as the platform confirmed. */
  readonly sent: string | null
  /** It may have been sent. */
  readonly doubt: number
  /** The attempt under way may have sent it. */
  readonly committed: number
  /** Counts up when it has to be another message of the platform. */
  readonly generation: number
  readonly attempts: number
  readonly nextAt: number
  readonly receipt: string | null
  /** When the platform took what it says; null until then. */
  readonly deliveredAt: number | null
  /** When the platform took what it said first; null until then. */
  readonly firstDeliveredAt: number | null
  readonly error: string | null
  /** What the platform wrote down of the attempts so far; null when it is delivered, or another message of the platform. */
  readonly note: string | null
  readonly at: number
}

/** A part with its message. */
export interface PartOfMessage extends Part {
  readonly of: KeptMessage
  /** The last text of the message: the one that has its buttons, below all that they decide on. */
  readonly isLastText: boolean
}

/** What a step changes of a part. */
export type PartChange = Partial<Omit<Part, 'message' | 'part'>> & { readonly epoch?: string | null }

/** Files have numbers that texts never reach. */
export const FIRST_FILE = 100_000

type Columns = Record<string, string | number | bigint | Uint8Array | null>

const PART = `message, part, state, text, file, album, tried, sent, doubt, committed, generation, attempts, next_at AS nextAt, receipt, delivered_at AS deliveredAt,
  first_delivered_at AS firstDeliveredAt, error, note, at`
const MESSAGE =
  'number, key, platform, chat, thread, reply_to AS replyTo, text, leaving, draft, buttons, files, trace, at'
const names: Readonly<Record<string, string>> = {
  nextAt: 'next_at',
  deliveredAt: 'delivered_at',
  firstDeliveredAt: 'first_delivered_at',
}
/** The attempt of one process. */
const UNDER_WAY = "message = ? AND part = ? AND state = 'attempting' AND epoch = ?"
/** Delivered messages are forgotten after a month, others after a year. */
const DAY_MS = 86_400_000
/** What waits whole for its platform has no parts yet, and is not delivered. */
const OLD = {
  table: 'messages',
  where: `at < ? AND (cut = 1 OR draft = 1)
    AND NOT EXISTS (SELECT 1 FROM parts
    WHERE message = number AND state <> 'delivered') OR at < ?`,
  returning: 'files',
} as const

export interface OutboxStoreDeps {
  readonly storage: () => Storage
  readonly file: string
  readonly clock: () => Clock
  /** Called with the files of each message that was forgotten, as they are kept. */
  readonly forgotten: (files: string) => void
}

export class OutboxStore {
  readonly #database: ManagedDatabase
  readonly #deps: OutboxStoreDeps
  readonly #old: RowPruner

  constructor(deps: OutboxStoreDeps) {
    this.#deps = deps
    this.#old = new RowPruner({ monotonic: () => deps.clock().monotonic() }, OLD)
    const upkeep = (database: Database) => this.#forget(database)
    this.#database = new ManagedDatabase(deps.storage, { file: deps.file, migrations, upkeep })
  }

  /** Runs `work` in one transaction that survives a power cut. */
  step<T>(work: () => T): T {
    return this.#database.use((database) => database.transaction(work, { sync: true }))
  }

  byKey(key: string): KeptMessage | undefined {
    return this.#get<KeptMessage>(`SELECT ${MESSAGE} FROM messages WHERE key = ?`, key)
  }

  message(number: number): KeptMessage | undefined {
    return this.#get<KeptMessage>(`SELECT ${MESSAGE} FROM messages WHERE number = ?`, number)
  }

  /** Returns its number. */
  add(message: Omit<KeptMessage, 'number' | 'leaving'>): number {
    const { key, platform, chat, thread, replyTo, text, draft, buttons, files, trace, at } = message
    const sql = `INSERT INTO messages (key, platform, chat, thread, reply_to, text, draft, buttons, files, trace, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const values = [key, platform, chat, thread, replyTo, text, draft, buttons, files, trace, at]
    return Number(this.#run(sql, ...values).lastInsertRowid)
  }

  rewrite(
    number: number,
    { text, draft, buttons, files }: Pick<KeptMessage, 'text' | 'draft' | 'buttons' | 'files'>,
  ): void {
    const leaving = 'leaving = CASE WHEN text = ? THEN leaving END'
    const sql = `UPDATE messages SET ${leaving}, text = ?, draft = ?, buttons = ?, files = ? WHERE number = ?`
    this.#run(sql, text, text, draft, buttons, files, number)
  }

  /** What leaves for the present text, on every attempt. */
  setLeaving(number: number, text: string): void {
    this.#run('UPDATE messages SET leaving = ? WHERE number = ?', text, number)
  }

  /** Removes the parts that no attempt was made with. */
  removeUntried(number: number): void {
    const isUntried = "state = 'pending' AND attempts = 0 AND tried IS NULL AND receipt IS NULL AND doubt = 0"
    this.#run(`DELETE FROM parts WHERE message = ? AND ${isUntried}`, number)
  }

  /** Whole messages that another process left for a platform that it did not know. */
  uncut(platform: string): readonly KeptMessage[] {
    return this.#all<KeptMessage>(
      `SELECT ${MESSAGE} FROM messages WHERE platform = ? AND cut = 0 AND draft = 0`,
      platform,
    )
  }

  markCut(number: number): void {
    this.#run('UPDATE messages SET cut = 1 WHERE number = ?', number)
  }

  listParts(number: number): readonly Part[] {
    return this.#all<Part>(`SELECT ${PART} FROM parts WHERE message = ? ORDER BY part`, number)
  }

  addPart(part: Pick<Part, 'message' | 'part' | 'text' | 'file' | 'album' | 'at'>, platform: string): void {
    const sql = `INSERT INTO parts (message, part, platform, state, text, file, album, at)
      VALUES (?, ?, ?, 'pending', ?, ?, ?, ?)`
    this.#run(sql, part.message, part.part, platform, part.text, part.file, part.album, part.at)
  }

  change({ message, part }: Pick<Part, 'message' | 'part'>, change: PartChange): void {
    const entries = Object.entries(change)
    const sets = entries.map(([name]) => `${names[name] ?? name} = ?`).join(', ')
    const values = entries.map(([, value]) => value as string | number | null)
    this.#run(`UPDATE parts SET ${sets} WHERE message = ? AND part = ?`, ...values, message, part)
  }

  /** The message and all that is left of it go to the chat itself. */
  leaveThread(message: number): void {
    this.#run('UPDATE messages SET thread = NULL WHERE number = ?', message)
  }

  /** Writes down that the attempt of this process may send it; false when another one has it by now. */
  commit({ message, part }: Pick<Part, 'message' | 'part'>, epoch: string): boolean {
    const sql = `UPDATE parts SET committed = 1 WHERE ${UNDER_WAY}`
    return this.step(() => Number(this.#run(sql, message, part, epoch).changes) === 1)
  }

  /** Whether the attempt of this process is the one that counts. */
  isUnderWay({ message, part }: Pick<Part, 'message' | 'part'>, epoch: string): boolean {
    return this.#get(`SELECT 1 FROM parts WHERE ${UNDER_WAY}`, message, part, epoch) !== undefined
  }

  /** Writes down a note of the attempt of this process; false when another one has it by now. */
  writeNote({ message, part }: Pick<Part, 'message' | 'part'>, epoch: string, note: string): boolean {
    const sql = `UPDATE parts SET note = ? WHERE ${UNDER_WAY}`
    return this.step(() => Number(this.#run(sql, note, message, part, epoch).changes) === 1)
  }

  /** The first part that waits in each chat of a platform, in the order in which they were posted. */
  heads(platform: string, limit: number): readonly PartOfMessage[] {
    const first = `SELECT p.message, p.part, MIN(p.message * 1000000 + p.part) FROM parts p
      JOIN messages m ON m.number = p.message WHERE p.platform = ? AND p.state IN ('pending', 'attempting')
      GROUP BY m.chat, m.thread`
    const sql = `SELECT ${PART} FROM parts WHERE (message, part) IN (SELECT message, part FROM (${first}) LIMIT ?)
      ORDER BY message, part`
    return this.#withMessages(this.#all<Part>(sql, platform, limit))
  }

  /** Deliveries that an ended process was sending. */
  cutOff(platform: string, epoch: string): readonly PartOfMessage[] {
    const sql = `SELECT ${PART} FROM parts WHERE platform = ? AND state = 'attempting' AND epoch IS NOT ?`
    return this.#withMessages(this.#all<Part>(sql, platform, epoch))
  }

  part(message: number, part: number): PartOfMessage | undefined {
    const found = this.#get<Part>(`SELECT ${PART} FROM parts WHERE message = ? AND part = ?`, message, part)
    return found && this.#withMessages([found])[0]
  }

  /** The newest first. */
  list(filter: { state?: string; key?: string; limit?: number }): readonly PartOfMessage[] {
    const where = [filter.state && 'state = ?', filter.key && 'message IN (SELECT number FROM messages WHERE key = ?)']
    const values = [filter.state, filter.key].filter((value) => value !== undefined)
    const condition = where.filter(Boolean).join(' AND ') || 'TRUE'
    const sql = `SELECT ${PART} FROM parts WHERE ${condition} ORDER BY message DESC, part DESC LIMIT ?`
    return this.#withMessages(this.#all<Part>(sql, ...values, filter.limit ?? 100))
  }

  counts(): ReadonlyMap<string, number> {
    const sql = "SELECT state, COUNT(*) AS count FROM parts WHERE state <> 'delivered' GROUP BY state"
    return new Map(this.#all<{ state: string; count: number }>(sql).map(({ state, count }) => [state, count]))
  }

  know(chat: {
    target: string
    platform: string
    chat: string
    thread: string | null
    label: string
    at: number
  }): void {
    const sql = `INSERT INTO destinations (target, platform, chat, thread, label, at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (target) DO UPDATE SET label = excluded.label, at = excluded.at`
    this.#run(sql, chat.target, chat.platform, chat.chat, chat.thread, chat.label, chat.at)
  }

  /** The one used last comes first. */
  destinations(): readonly { target: string; platform: string; chat: string; thread: string | null; label: string }[] {
    return this.#all('SELECT target, platform, chat, thread, label FROM destinations ORDER BY at DESC LIMIT 1000')
  }

  /** Removes some of the old rows; the rest is removed while the outbox is in use. */
  prune(): void {
    this.#database.use((database) => this.#forget(database))
  }

  /** Whether there may be more. */
  #forget(database: Database): boolean {
    const now = this.#deps.clock().now()
    const { gone, hasMore } = this.#old.step<string>(database, now - 30 * DAY_MS, now - 365 * DAY_MS)
    for (const files of gone) this.#deps.forgotten(files)
    return hasMore
  }

  /** Files of all messages, as they are kept. */
  allFiles(): readonly string[] {
    return this.#all<{ files: string }>("SELECT files FROM messages WHERE files <> '[]'").map(({ files }) => files)
  }

  /** Whether every part of the message arrived. */
  isDelivered(number: number): boolean {
    const sql = "SELECT COUNT(*) AS count FROM parts WHERE message = ? AND state <> 'delivered'"
    return this.#get<{ count: number }>(sql, number)?.count === 0
  }

  /** Counts up when another process has written. */
  version(): number {
    return this.#get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
  }

  /** Resolves when what was written for a platform is where other gateways find it. */
  synced(platform: string): Promise<void> {
    return this.#database.use((database) => database.synced(getAccountScope(platform)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #withMessages(parts: readonly Part[]): readonly PartOfMessage[] {
    const messages = new Map<number, (Pick<PartOfMessage, 'of'> & { readonly lastText: number | null }) | undefined>()
    return parts.flatMap((part) => {
      if (!messages.has(part.message)) {
        const of = this.message(part.message)
        messages.set(part.message, of && { of, lastText: this.#lastText(part.message) })
      }
      const found = messages.get(part.message)
      return found ? [{ ...part, of: found.of, isLastText: part.part === found.lastText }] : []
    })
  }

  #lastText(message: number): number | null {
    const sql = 'SELECT MAX(part) AS last FROM parts WHERE message = ? AND part < ?'
    return this.#get<{ last: number | null }>(sql, message, FIRST_FILE)?.last ?? null
  }

  #run(sql: string, ...values: (string | number | null)[]) {
    return this.#database.use((database) => statement(database, sql).run(...values))
  }

  #get<Row>(sql: string, ...values: (string | number | null)[]): Row | undefined {
    return this.#database.use((database) => statement(database, sql).get(...values)) as Row | undefined
  }

  #all<Row>(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#database.use((database) => statement(database, sql).all(...values)) as Row[]
  }
}

const prepared = new WeakMap<Database, Map<string, ReturnType<Database['prepare']>>>()

/** Preparing costs more than running. */
function statement(database: Database, sql: string) {
  const all = prepared.get(database) ?? new Map<string, ReturnType<Database['prepare']>>()
  prepared.set(database, all)
  const known = all.get(sql) ?? database.prepare<Columns>(sql)
  all.set(sql, known)
  return known
}

/** Buttons of a message. */
export const parseButtons = ({ buttons }: KeptMessage): readonly MessageButton[] =>
  buttons === null ? [] : (JSON.parse(buttons) as readonly MessageButton[])

/** Files of a message. */
export const parseFiles = ({ files }: Pick<KeptMessage, 'files'>): readonly KeptFile[] =>
  (JSON.parse(files) as readonly KeptFile[]).map((file) => ({
    ...file,
    // Of an earlier version.
    kind: file.kind ?? classifyMediaType(file.mediaType),
    size: file.size ?? 0,
  }))

/** The numbers of the files that a part has. */
export const parseFileNumbers = ({ file, album }: Pick<Part, 'file' | 'album'>): readonly number[] => {
  if (album !== null) return JSON.parse(album) as readonly number[]
  return file === null ? [] : [file]
}
