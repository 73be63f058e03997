/** Where this installation keeps its things. Provided by the kernel. */
import { defineService, type Service } from './declarations.ts'

/** The active home. A named profile is a separate home under `<root>/profiles/<name>`. @since 0.1 */
export interface Home {
  /** The active home: of the profile when one is chosen. */
  readonly dir: string
  /** SVC_HOME itself, which holds `profiles/`. */
  readonly root: string
  /** The chosen profile, or undefined for the default one. */
  readonly profile: string | undefined
  /** A path inside the active home. */
  path(...parts: string[]): string
}
export const Home: Service<Home> = defineService('home', { free: true, shared: true })
