/** Sessions: conversations that outlive the process. Durable when a call returns. */

import { defineService, type NotifyHook, notifyHook, type Service } from './declarations.ts'
import type { Message, Usage } from './messages.ts'
import type { ArchivedState, SessionState } from './session-state.ts'
import type { SessionLabel } from './session-tree.ts'
import type { TurnEvent, TurnEventData } from './turn-events.ts'

/** A session without its messages. @since 0.1 */
export interface SessionSummary {
  readonly id: string
  readonly surface: string
  readonly title?: string
  readonly cwd: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  readonly usage: Usage
  /** The id of the session that it branched off; that one may have been removed since. */
  readonly parent?: string
  /** How much of the `history()` of `parent` it begins with, in messages; unknown for branches of early versions. */
  readonly branchedAt?: number
}

/** Which sessions. All that is named must hold; nothing named means every one. @since 0.1 */
export interface SessionFilter {
  readonly surface?: string
  readonly cwd?: string
  /** Part of the title, in any case. */
  readonly title?: string
  /** Last used before this moment, in milliseconds since 1970. */
  readonly usedBefore?: number
  /** Last used at this moment or later, in milliseconds since 1970. */
  readonly usedAfter?: number
  /** False: without those that branched off another one. */
  readonly branches?: false
  readonly limit?: number
  /** How many matches a list skips: the start of the next page. */
  readonly offset?: number
}

/** Where to search. `limit` counts hits (default 20). @since 0.2 */
export interface SessionSearchOptions extends SessionFilter {
  /** Messages of this role only. */
  readonly role?: Message['role']
}

/** A message that was found. @since 0.2 */
export interface SessionSearchResult {
  readonly sessionId: string
  readonly title?: string
  /** When it was recorded, in milliseconds since 1970. */
  readonly at: number
  readonly role: Message['role']
  /** The excerpt on one line; matches are between `>>>` and `<<<`. Other characters are unchanged. */
  readonly snippet: string
  /** Its place in `Session.history()`. */
  readonly messageIndex: number
}

/** Counts of what is stored. @since 0.1 */
export interface SessionStats {
  readonly sessions: number
  readonly messages: number
  readonly usage: Usage
  /** Size of the database. */
  readonly bytes: number
  /** The surface with most sessions first. */
  readonly surfaces: readonly { readonly surface: string; readonly sessions: number; readonly messages: number }[]
  /** Milliseconds since 1970; undefined without sessions. */
  readonly oldest?: number
  readonly newest?: number
}

/** The result of a removal. @since 0.1 */
export interface RemovedSessions<Which> {
  readonly removed: readonly Which[]
  /** The file with a copy of each, which `svc sessions import` brings back for a month; none when nothing was removed. */
  readonly backup?: string
}

/** All there is of a session, as plain data: what `export` gives and `import` takes. @since 0.1 */
export interface SessionArchive {
  readonly session: SessionSummary
  readonly systemPrompt?: string
  /** `seq` is the last event that was there when the message was recorded. */
  readonly messages: readonly {
    readonly message: Message
    readonly at: number
    readonly turnId: string
    readonly seq: number
  }[]
  readonly events: readonly TurnEvent[]
  /** What was taken back or compressed, oldest first. */
  readonly edits?: readonly SessionRewrite[]
  /** What plugins stored with it, oldest first. */
  readonly states?: readonly ArchivedState[]
  /** In an export for other homes; `SessionTrees.label` brings them back. */
  readonly labels?: readonly SessionLabel[]
  /** Texts that events name by their digest. */
  readonly kept?: Readonly<Record<string, string>>
}

/**
 * A session that is read in parts, for long ones: memory does not grow with its size. It has what was recorded when it was
 * opened, also while others write.
 * @since 0.1
 */
export interface SessionReader extends Omit<SessionArchive, 'messages' | 'events' | 'kept'> {
  /** How many messages `messages` gives. */
  readonly length: number
  /** Oldest first. May be read more than once; throws `SESSION_NOT_FOUND` when the session was removed meanwhile. */
  messages(): Iterable<SessionArchive['messages'][number]>
  /** In the order of their places, likewise. */
  events(): Iterable<TurnEvent>
  /** The text that an event names by its digest. */
  kept(digest: string): string | undefined
}

/** Messages that are read differently from how they were recorded. @since 0.2 */
export interface SessionRewrite {
  readonly kind: 'rewound' | 'compressed'
  /** The first and the last message, by their places in `history()`. */
  readonly first: number
  readonly last: number
  /** What is read in their place. */
  readonly messages: readonly Message[]
  /** The last event that was there. */
  readonly seq: number
  readonly at: number
}

/** The events and messages of one step of a turn, written in one transaction. @since 0.2 */
export interface SessionAppend {
  readonly turnId: string
  readonly events: readonly TurnEventData[]
  /** Messages that become part of the conversation with it. */
  readonly messages?: readonly Message[]
  /** The system prompt it was started with, unless it has one. */
  readonly systemPrompt?: string
  /**
   * Survives a power cut when the call returns, not only a crash of the process; `Session.synced` does not block other
   * writes.
   */
  readonly sync?: boolean
  /** Survives a crash only from `Session.committed` on, and costs less: many sessions share one commit. */
  readonly soon?: boolean
}

/** A turn whose process died. @since 0.2 */
export interface InterruptedTurn {
  readonly turnId: string
  readonly events: readonly TurnEvent[]
  readonly messages: readonly Message[]
}

/** One conversation. @since 0.1 */
export interface Session {
  readonly id: string
  readonly cwd: string
  readonly surface: string
  /** The system prompt it was started with; set once. */
  systemPrompt(): string | undefined
  setSystemPrompt(text: string): void
  /**
   * Makes the next turn rebuild it, for a change that the user requested. Invalidates the prompt cache of the
   * conversation.
   */
  renewSystemPrompt(): void
  /** The conversation as it is read now: without what was taken back, and with summaries for what was compressed. */
  messages(): readonly Message[]
  /** `messages()` with the time at which each was recorded, or a summary was made: milliseconds since 1970. */
  entries(): readonly { readonly message: Message; readonly at: number }[]
  /** All that was ever recorded, oldest first. Places of `SessionSearchResult` are places in it. */
  history(): readonly Message[]
  /**
   * Takes back the messages from this place of `messages()` on, and returns them. Nothing is deleted. Throws
   * `SESSION_IN_USE` while a turn is at work.
   */
  rewind(from: number): readonly Message[]
  /** Restores what the newest `rewind` removed, unless there are newer messages; returns the number of messages. */
  unwind(): number
  /**
   * Lets `summary` stand for the messages from `from` up to and without `to` of `messages()`, also while a turn of this
   * process is at work. The system prompt is rebuilt by the next turn. What was replaced can still be searched.
   */
  compress(range: { readonly from: number; readonly to: number; readonly summary: readonly Message[] }): void
  /** Counts what was taken back, brought back and compressed: another number means other messages. */
  edition(): number
  /**
   * Appends to the journal and returns the events with their places. What should survive a power cut may be shown when
   * this returns with `sync`, or without it once `synced` has resolved; anything else at once, or with `soon` once
   * `committed` has.
   */
  record(record: SessionAppend): readonly TurnEvent[]
  /** Resolves when all that was recorded before with `soon` is committed; rejects when it could not be, and is undone. */
  committed(): Promise<void>
  /** Resolves when all that was recorded before survives a power cut. Many sessions share one sync of the disk. */
  synced(): Promise<void>
  /** Events after `seq` (default all that are kept), oldest first. */
  events(afterSeq?: number): readonly TurnEvent[]
  /** Stores a text that many turns share, once; returns its SHA-256 in hexadecimal. */
  keep(text: string): string
  kept(digest: string): string | undefined
  /** What a plugin stored with the session; undefined when there is nothing, or messages were taken back to before it. */
  state<T>(state: SessionState<T>): T | undefined
  /**
   * Stores a value; undefined removes it. Survives a crash when the call returns. With `with: 'next-message'` it belongs to
   * the next message: removing that one restores the previous value. Throws `SESSION_STATE_INVALID`.
   */
  setState<T>(state: SessionState<T>, value: T | undefined, options?: { readonly with?: 'next-message' }): void
  /** Takes over a turn whose process died, to resume or abandon it; the oldest first. */
  takeOver(): InterruptedTurn | undefined
  /**
   * Closes a turn that was taken over: what was shown becomes part of the conversation, calls without an answer are
   * answered as of unknown effect, and it ends as `crashed` with an explanation.
   */
  abandon(turnId: string): readonly TurnEvent[]
}

/** Provided by the plugin `sessions`. @since 0.1 */
export interface Sessions {
  /** Left out: the surface `plugin`, and the folder that svc was started in. */
  create(options?: { readonly surface?: string; readonly cwd?: string; readonly title?: string }): Session
  /** Throws `SESSION_NOT_FOUND`. */
  open(id: string): Session
  /** Throws `SESSION_NOT_FOUND`. */
  summary(id: string): SessionSummary
  /** Sessions with a turn whose process died, the oldest turn first. */
  unfinished(where?: { readonly surface?: string }): readonly SessionSummary[]
  /** The session that a turn was recorded in; the older one if a branch has the turn too. */
  findTurn(turnId: string): SessionSummary | undefined
  /** The session used last, of one surface or folder. */
  latest(where?: { readonly surface?: string; readonly cwd?: string }): SessionSummary | undefined
  /** The most recently used first; 100 by default. */
  list(filter?: SessionFilter): readonly SessionSummary[]
  /**
   * Messages, with the names and inputs of their tool calls, that contain every word of the query, in any case and also
   * inside of longer words; `"several words"` are looked for as they stand. The newest hit comes first. Any text is a
   * valid query; a blank one finds nothing.
   */
  search(query: string, options?: SessionSearchOptions): readonly SessionSearchResult[]
  /** Throws `SESSION_NOT_FOUND`, or `SESSION_TITLE_EMPTY`. */
  rename(id: string, title: string): void
  /**
   * Looks at all of them first, and removes none when it rejects with `SESSION_NOT_FOUND`, or with `SESSION_IN_USE` while a
   * turn is at work. Then it removes a few at a time, so that others can write in between, and resolves with those that
   * were removed: what is used meanwhile stays. A copy is on the disk before anything goes; rejects with `SESSION_TRASH`
   * when there can be none. `copy: false` leaves no copy: for conversations that were never to be kept.
   */
  remove(ids: readonly string[], options?: { readonly copy?: false }): Promise<RemovedSessions<string>>
  /**
   * A new session that begins with the messages so far, the first `upTo` of them, those recorded up to event `atSeq`, or the
   * conversation as it was after message `at` of `history()` (counted from 1), also where that was taken back or compressed
   * since. A tool call at the end without a result is left out. The state is that of this point. `as` is the id of the
   * branch (default: a new one). Throws `SESSION_NOT_FOUND`, and `SESSION_ID_TAKEN` if there is a session `as`.
   */
  branch(
    id: string,
    options?: { readonly upTo?: number; readonly atSeq?: number; readonly at?: number; readonly as?: string },
  ): Session
  /**
   * Figures of these sessions by id; those that do not exist are left out. `answers` and `toolCalls` count answers of the model
   * and results of tools in `history()`, also those that a branch began with. `begins` is the start of the first user message
   * in `messages()`, on one line.
   */
  figures(
    ids: readonly string[],
  ): ReadonlyMap<string, { readonly answers: number; readonly toolCalls: number; readonly begins?: string }>
  /**
   * The session with those it branched off and all that branched off these, the oldest first; at most 1,000. A parent that was
   * removed ends the line upwards. Throws `SESSION_NOT_FOUND`.
   */
  family(id: string): readonly SessionSummary[]
  /** How many there are, without reading each. */
  count(): number
  /** As `remove`, what the filter names, except sessions whose turn is at work; `dryRun` only resolves with them. */
  prune(filter: SessionFilter, options?: { readonly dryRun?: boolean }): Promise<RemovedSessions<SessionSummary>>
  stats(): SessionStats
  /**
   * Gives the disk space of removed sessions back, and resolves with the sizes of the file in bytes. The index is merged, and
   * free pages are given back, in short steps between which others write. A file of an early version is rewritten once
   * (`progress` reports `file`): others wait in the meantime, so it rejects with `SESSION_IN_USE` while a turn is running. Much of it
   * is done without being asked for, now and then.
   */
  compact(options?: {
    readonly progress?: (part: 'index' | 'space' | 'file', steps: number) => void
    /** Ends it before the next step. */
    readonly signal?: AbortSignal
  }): Promise<{ readonly before: number; readonly after: number }>
  /** The whole session in memory; `read` is for those that may be long. Throws `SESSION_NOT_FOUND`. */
  export(id: string): SessionArchive
  /** Throws `SESSION_NOT_FOUND`. */
  read(id: string): SessionReader
  /**
   * Brings a session back under its own id; it survives a power cut when the call returns. With `soon` it is kept as a
   * record with `soon` is: for sessions that are made to be written at once. Throws `SESSION_EXISTS`.
   */
  import(archive: SessionArchive, options?: { readonly soon?: boolean }): void
}
export const Sessions: Service<Sessions> = defineService('sessions', { free: true })

/** A session that begins with messages of another one. @since 0.2 */
export interface BranchedSession {
  readonly sessionId: string
  /** The session that it branched off. */
  readonly parentId: string
  /** How many messages it begins with. */
  readonly messageCount: number
}

/** A session was branched, by a person, a client or a plugin. Called after the branch is stored. @since 0.2 */
export const SessionBranched: NotifyHook<BranchedSession> = notifyHook('session:branched')

/** Messages of a session that are not read any more, or are read again. @since 0.2 */
export interface RewoundSession {
  readonly sessionId: string
  /** `undone`: messages were taken back (`/undo`, `/retry`, `/rollback chat`). `redone`: they were brought back. */
  readonly kind: 'undone' | 'redone'
  /** How many messages that concerned. */
  readonly messageCount: number
}

/** Messages of a session were taken back, or brought back. Called after the edit is stored. @since 0.2 */
export const SessionRewound: NotifyHook<RewoundSession> = notifyHook('session:rewound')

/** Messages of a session that a summary stands for. @since 0.2 */
export interface CompactedSession {
  readonly sessionId: string
  /** How many messages the summary replaces in what is read. */
  readonly replaced: number
  readonly summary: readonly Message[]
}

/**
 * Messages of a session were replaced by a summary. Called after the edit is stored; see `BeforeCompaction`.
 * @since 0.2
 */
export const SessionCompacted: NotifyHook<CompactedSession> = notifyHook('session:compacted')

/** Sessions that are no longer there. @since 0.2 */
export interface RemovedSessionGroup {
  readonly sessions: readonly SessionSummary[]
  /** A copy was kept from which they may be restored for a month. False: what belongs to them can be deleted for good. */
  readonly isRestorable: boolean
}

/**
 * Sessions were removed: by a person, a client of the API, or `sessions.retention_days`. Called for each batch, after the
 * removal survives a power cut and before it resolves. Only plugins that are loaded in the process that removes are called,
 * and a crash at this moment loses the call: data that must not outlive a session belongs into session state
 * (`defineSessionState`), which is removed, exported and restored together with it.
 * @since 0.2
 */
export const SessionsRemoved: NotifyHook<RemovedSessionGroup> = notifyHook('session:removed', { timeoutMs: 30_000 })

/**
 * Sessions were brought back from an export or from the trash. Called after each is stored; see `SessionsRemoved`.
 * @since 0.2
 */
export const SessionsRestored: NotifyHook<{ readonly sessions: readonly SessionSummary[] }> =
  notifyHook('session:restored')

/** The folder in which the commands of a session run from now on. @since 0.2 */
export interface WorkingFolderChange {
  readonly sessionId: string
  readonly cwd: string
  /** Left out: the folder of the session itself. */
  readonly previous?: string
}

/**
 * A command of the agent changed the working folder of a session. Called after the folder is stored with the session.
 * @since 0.2
 */
export const WorkingFolderChanged: NotifyHook<WorkingFolderChange> = notifyHook('session:working-folder')
