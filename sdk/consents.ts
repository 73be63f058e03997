/** What a user agreed to: which code of a foreign plugin may run. The kernel keeps it and refuses everything else. */

import { defineService, type Service } from './declarations.ts'
import type { PluginInfo } from './plugins.ts'

/** A file that differs from what was agreed to. Texts are there for small text files only. @since 0.1 */
export interface ConsentChange {
  /** Relative to the plugin's folder; packages outside of it begin with `../`. */
  readonly file: string
  readonly what: 'added' | 'removed' | 'changed'
  readonly before?: string
  readonly after?: string
}

/** The code of a plugin as it is now, compared with the code that the user consented to. @since 0.1 */
export interface ConsentState {
  /** `none`: nothing was agreed to for this place; `changed`: other code was; `development`: any code in this place was. */
  readonly agreed: 'none' | 'yes' | 'changed' | 'development'
  /** SHA-256 over all files that a consent covers, in hexadecimal. */
  readonly hash: string
  /** The folder with all links resolved: what a consent is bound to, with the origin and the hash. */
  readonly path: string
  readonly files: number
  /** Against what was agreed to last; empty when nothing was. */
  readonly changes: readonly ConsentChange[]
}

/** Identifies a plugin: its origin and its folder. @since 0.1 */
export type ConsentSubject = Pick<PluginInfo, 'manifest' | 'origin' | 'dir'>

/** Provided by the kernel, for the one plugin that asks people. @since 0.1 */
export interface Consents {
  /** Throws `CONSENT_CONTENT` when a folder cannot be covered, and `CONSENT_UNREADABLE` when the record is damaged. */
  inspect(plugin: ConsentSubject): Promise<ConsentState>
  /**
   * Records that a person agreed to the code with this hash. Throws `CONSENT_CHANGED` when the folder holds other code by
   * now. With `development`, later changes in this place are trusted too, until the next consent.
   */
  agree(plugin: ConsentSubject, hash: string, options?: { readonly development?: boolean }): Promise<void>
  /** Forgets what was agreed to for this place. */
  forget(plugin: ConsentSubject): Promise<void>
}
export const Consents: Service<Consents> = defineService('consents', { closed: true })
