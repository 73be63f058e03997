/** Branches of a conversation as a tree, with labels at points that a person wants to find again. */
import type { SessionSummary } from './sessions.ts'
import { type Service, service } from './token.ts'

/** One line of a tree, from top to bottom: a session, or a labelled point of one. */
export interface SessionTreeRow {
  /** Box-drawing characters that lead to the row, such as `│  ├─ `; empty for the root. */
  readonly guide: string
  readonly session: SessionSummary
  /** `at`: the message of `history()` that the label is on, counted from 1. Left out: the row is the session itself. */
  readonly label?: { readonly text: string; readonly at: number }
}

/** Provided by the plugin `session-tree`. */
export interface SessionTrees {
  /** The whole tree that a session belongs to; see `Sessions.family`. Throws `SESSION_NOT_FOUND`. */
  rows(sessionId: string): readonly SessionTreeRow[]
  /**
   * Puts a label on a message (default: the last one), instead of the one there was; a text without a visible character
   * removes it. Returns the place of the message. Throws `SESSION_NOT_FOUND`, or `SESSION_POINT_UNKNOWN` when there is no such
   * message.
   */
  label(sessionId: string, label: { readonly text: string; readonly at?: number | undefined }): number
}
export const SessionTrees: Service<SessionTrees> = service('session-tree')
