/** What a bug report needs, in one file. */
import { defineService, type Service } from './declarations.ts'

/** A bundle, and what is in it. @since 0.2 */
export interface DebugBundle {
  /** A name for the file. It is a zip archive. */
  readonly name: string
  readonly bytes: Uint8Array
  /** What is in it, what is not, and what could not be collected: plain text of several lines. */
  readonly summary: string
}

/** Bring it with `Plugins.bring`. @since 0.2 */
export interface DebugBundles {
  /**
   * Collects versions, findings of `svc doctor`, plugins, settings and the ends of the logs, without keys and conversations. A part
   * that cannot be read is named in `summary`. Rejects when `signal` aborts.
   */
  create(options: {
    readonly signal: AbortSignal
    /** Entries of each log (default 200, at most 2000). */
    readonly lines?: number
  }): Promise<DebugBundle>
}
export const DebugBundles: Service<DebugBundles> = defineService('debug-bundles')
