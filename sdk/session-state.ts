/**
 * State that belongs to a session and is not a message: the plan of a todo tool, the folder of a shell, the model that was
 * chosen for one conversation. It is stored with the session, so a branch, `/undo`, an export and a removal include it.
 */

/** Names a value that a plugin stores with sessions. Made by `defineSessionState`. @since 0.1 */
export interface SessionState<T> {
  /** Unique; begins with the name of its owner: `weather:place`. */
  readonly state: string
  /**
   * `restores`: taking messages back restores the value from before them, as for the state of a tool. `keeps`: they have
   * nothing to do with each other, as for a setting that a person chose.
   */
  readonly undo: 'restores' | 'keeps'
  /**
   * Checks a stored value, which may come from an earlier version or an import. Undefined rejects it: the session continues
   * without the value, that is reported once, and the value is kept under the name `<state>#rejected`.
   */
  readonly parse: (value: unknown) => T | undefined
}

/** Declares state of sessions. Values are plain data of at most 1 MiB as JSON. @since 0.2 */
export function defineSessionState<T>(
  state: string,
  options: { readonly undo: SessionState<T>['undo']; readonly parse: SessionState<T>['parse'] },
): SessionState<T> {
  return { state, ...options }
}

/** A change of state as an archive contains it. @since 0.1 */
export interface ArchivedState {
  readonly id: string
  readonly undo: SessionState<unknown>['undo']
  /** How many messages of `history()` there were; with state of the next message, one more. */
  readonly position: number
  /** The last event there was. */
  readonly seq: number
  /** How many of the edits were made before. */
  readonly edits: number
  /** Left out: the value was removed. */
  readonly value?: unknown
}
