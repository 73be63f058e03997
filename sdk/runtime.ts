/** A runtime inside this one, with a separate home: to try or replay something without touching real data. */

import { defineService, type ExtensionPoint, type Service } from './declarations.ts'
import type { Manifest } from './manifest.ts'
import type { ContributionRegistry, Plugin } from './plugin.ts'
import type { Clock, Net, Random } from './ports.ts'

/**
 * A plugin that an embedding program brings: manifest fields and code in one object; only `name` and `setup` are needed.
 * @since 0.2
 */
export type InlinePlugin = Omit<Partial<Manifest>, 'config'> & { readonly name: string } & Pick<
    Plugin<never>,
    'setup' | 'configMigrations'
  > & {
    readonly config?: Plugin<unknown>['config'] | string | undefined
  }

/** Access to the outside. @since 0.1 */
export interface RuntimeOptions {
  /** A folder that replaces SVC_HOME. */
  readonly home: string
  /** Loaded with what they require and what goes along with that; `plugins.disabled` in `config` keeps plugins out. */
  readonly plugins: readonly string[]
  readonly with?: readonly InlinePlugin[]
  /** Folders of plugins that are not built in, run in place: to name them is the consent to their code. */
  readonly dirs?: readonly string[]
  /** Stands in for config.yaml. */
  readonly config: Record<string, unknown>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
  readonly random?: Random
  readonly net?: Net
}

/** An open runtime. @since 0.1 */
export interface Runtime {
  use<T>(token: Service<T>): T
  all<T>(point: ExtensionPoint<T>): ContributionRegistry<T>
  stop(): Promise<void>
}

/** Provided by the kernel. @since 0.1 */
export interface Runtimes {
  open(options: RuntimeOptions): Promise<Runtime>
}
export const Runtimes: Service<Runtimes> = defineService('runtimes')
