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
}
export const Updates: Service<Updates> = defineService('updates')
