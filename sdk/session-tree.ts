/** Branches of a conversation as a tree, with labels as bookmarks. */

import { defineService, type Service } from './declarations.ts'
import type { SessionSummary } from './sessions.ts'

/** A label on a message of `history()`, counted from 1. @since 0.1 */
export interface SessionLabel {
  readonly text: string
  readonly at: number
}

/** One line of a tree, from top to bottom: a session, or a labelled point of one. @since 0.1 */
export interface SessionTreeRow {
  /** Box-drawing characters that lead to the row, such as `│  ├─ `; empty for the root. */
  readonly guide: string
  readonly session: SessionSummary
  /** Left out: the row is the session itself. */
  readonly label?: SessionLabel
}

/** Provided by the plugin `session-tree`. @since 0.1 */
export interface SessionTrees {
  /** The whole tree that a session belongs to; see `Sessions.family`. Throws `SESSION_NOT_FOUND`. */
  rows(sessionId: string): readonly SessionTreeRow[]
  /**
   * The labels of a session by their place: its own, and those of the messages that it shares with the session it branched off,
   * also when that one was removed. `rows` shows a shared one only once. Throws `SESSION_NOT_FOUND`.
   */
  labels(sessionId: string): readonly SessionLabel[]
  /**
   * Puts a label on a message (default: the last one), instead of the one there was; a text without a visible character
   * removes it. Returns the place of the message. Throws `SESSION_NOT_FOUND`, or `SESSION_POINT_UNKNOWN` when there is no such
   * message.
   */
  label(sessionId: string, label: { readonly text: string; readonly at?: number | undefined }): number
}
export const SessionTrees: Service<SessionTrees> = defineService('session-tree')
