/** State of a plugin without a database: values with a schema and a version. */
import type { Registration } from './plugin.ts'
import type { Schema } from './schema.ts'

/** What is stored, and how earlier versions of it become the present one. @since 0.2 */
export interface StateSchema<T> {
  /**
   * Checks what is stored and what is to be stored. It must be synchronous and accept what it returns. Left out: any plain data is
   * taken, and nothing tells when what is on disk has another form.
   */
  readonly schema?: Schema<T>
  /** The value where nothing is stored yet. */
  readonly initial: T
  /** The version of the schema, a whole number from 1 on (default 1). Raise it with each change that earlier values do not fit. */
  readonly version?: number
  /** Converts a value of an earlier version to the present one. Left out: the schema must accept earlier values. */
  readonly migrate?: (value: unknown, version: number) => unknown
}

/** How state of a plugin is stored. @since 0.2 */
export interface StateOptions<T> extends StateSchema<T> {
  /** `home` (default): one value; `project`: one for each folder that svc is started in. */
  readonly per?: 'home' | 'project'
}

/**
 * A value of a plugin in a JSON file of at most 16 MiB below its `dataDir`, shared by all processes with this home. Values
 * are frozen plain data.
 *
 * `STATE_TOO_NEW`: a later version of the plugin wrote it. `STATE_INVALID`: a value does not fit the schema, or `migrate`
 * failed. `STATE_TOO_LARGE`: it has more than 16 MiB. What is on disk is unchanged after each of these.
 * @since 0.2
 */
export interface PluginState<T> {
  /**
   * The value as it is on disk now. Content that cannot be used is reported once and read as `initial`; the next write keeps
   * it under another name. Throws `STATE_TOO_NEW`, `STATE_TOO_LARGE`, and `STATE_INVALID` where `migrate` fails.
   */
  get(): T
  /** Replaces the value. Rejects with one of the codes above or the error of the system. */
  set(value: T): Promise<void>
  /**
   * Changes the value under a lock, so that no change of another process is lost, and returns it. `change` is synchronous and
   * returns another value; what it throws is passed on and nothing is written.
   */
  update(change: (value: T) => T): Promise<T>
  /** Called with each new value, whichever process wrote it; changes of other processes are noticed within about a second. */
  onChange(listener: (value: T) => void): Registration
}

/** How state of a session is stored. @since 0.2 */
export interface PluginSessionStateOptions<T> extends StateSchema<T> {
  /**
   * `restores` (default): taking messages back restores the value from before them. `keeps`: they have nothing to do with
   * each other, as for a setting that a person chose.
   */
  readonly undo?: 'restores' | 'keeps'
}

/**
 * A value of a plugin that is stored with a session: a branch copies it, an export contains it, a removal includes it.
 * @since 0.2
 */
export interface PluginSessionState<T> {
  /** `initial` where nothing is stored. Throws `SESSION_NOT_FOUND`, `STATE_TOO_NEW`, and `STATE_INVALID` where `migrate` fails. */
  get(sessionId: string): T
  /** Survives a crash when the call returns. At most 1 MiB. Throws also `SESSION_STATE_INVALID`. */
  set(sessionId: string, value: T): void
}
