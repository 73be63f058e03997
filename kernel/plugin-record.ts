/** A plugin as the kernel is given it: what is known of it before its code runs. */
import type { Manifest } from '../sdk/manifest.ts'
import type { Plugin } from '../sdk/plugin.ts'
import type { PluginOrigin } from '../sdk/plugins.ts'

/** A plugin that could be loaded, or the reason why not. */
export interface PluginRecord {
  readonly manifest: Manifest
  readonly origin: PluginOrigin
  readonly dir: string
  /** Why it must not be loaded. */
  readonly problem?: string
  /** Services that it names with versions and that are provided in another one: the reasons. */
  readonly unfit?: ReadonlyMap<string, string>
  /** Of a project's plugin: the project it belongs to. */
  readonly project?: {
    /** Stands for the project's folder in names of files. */
    readonly key: string
    /** `plugins.entries.<name>` of the project's own `.svc/config.yaml`. */
    readonly settings?: unknown
  }
  /** Its code, when the embedding program brought it along. */
  readonly plugin?: Plugin
}

/** Whether a user brought it: it runs only by consent. */
export function isForeign({ origin }: Pick<PluginRecord, 'origin'>): boolean {
  return origin !== 'built-in' && origin !== 'embedded'
}
