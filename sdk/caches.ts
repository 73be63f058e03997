/** Caches: values that may be lost at any moment, such as lists, probes and previews. Provided by the plugin `caches`. */
import { defineService, type Service } from './declarations.ts'

/** One cache. A failing store behaves like an empty one: nothing here rejects, and the failure is logged. @since 0.1 */
export interface Cache<Value> {
  /** The value, when it is there and not too old. */
  get(key: string): Promise<Value | undefined>
  /**
   * The same synchronously: only the local part of the cache. Where the store is another server, only
   * what this process has read or written; `warm` reads it.
   */
  peek(key: string): Value | undefined
  /** Makes `peek` know what the store has. Returns at once where `peek` sees the store itself. */
  warm(key: string): Promise<void>
  /** Takes effect for `peek` at once. `value` is plain JSON. */
  set(key: string, value: Value): Promise<void>
  delete(key: string): Promise<void>
}

/** How a cache is opened. @since 0.1 */
export interface CacheOptions<Value> {
  /** Of the owner and what it holds, in lower-case letters, digits and hyphens: `model-lists`. */
  readonly name: string
  /** Milliseconds that a value is kept. */
  readonly ttlMs: number
  /** Whether what was read is a value: other programs and older versions write there, too. */
  isValue(value: unknown): value is Value
}

/** Provided by the plugin `caches`. @since 0.1 */
export interface Caches {
  /** Cheap: nothing is read or connected before the first use. */
  open<Value>(options: CacheOptions<Value>): Cache<Value>
}
export const Caches: Service<Caches> = defineService('caches')
