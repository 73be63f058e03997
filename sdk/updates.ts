/** Newer versions of this installation. */
import { defineService, type Service } from './declarations.ts'

/** What a look for a newer version found. @since 0.2 */
export interface UpdateCheck {
  /** What installed svc: `npm`, `git`, or what else updates it. */
  readonly method: string
  readonly version: string
  /** The newest version, or its commit. Undefined where something else updates svc: it was not asked. */
  readonly newest?: string
  readonly isNewer: boolean
  /** What a person runs to update. Undefined when nothing is newer. */
  readonly command?: string
  /** Why svc does not update itself here, and what does, as sentences. */
  readonly reason?: string
}

/** Provided by the plugin `updates`; bring it with `Plugins.bring`. @since 0.2 */
export interface Updates {
  /** Asks the registry or the repository; changes nothing. Rejects with `UPDATE_METHOD` and `UPDATE_SOURCE`. */
  check(options: { readonly signal: AbortSignal }): Promise<UpdateCheck>
  /**
   * Installs the newest version: it is tried out next to this one, the home is backed up, and the next start of svc has it. Takes
   * minutes. Processes that run keep the version that they have. Resolves with the version that is installed then, which is the present
   * one where nothing is newer. Rejects with `UPDATE_METHOD`, `UPDATE_SOURCE`, `UPDATE_REHEARSAL`, `UPDATE_SWITCH` and `UPDATE_BUSY`;
   * the version in use is then still that. Ask a person before.
   */
  apply(options: {
    readonly signal: AbortSignal
    /** Called with each line that tells people how it goes. */
    readonly report?: (line: string) => void
  }): Promise<{ readonly version: string }>
}
export const Updates: Service<Updates> = defineService('updates')
