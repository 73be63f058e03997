/** The plugin host, seen from inside: what is loaded, why something is not, and changing it while running. */

import {
  type DecideHook,
  decisionHook,
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
} from './declarations.ts'
import type { LeftOut } from './left-out.ts'
import type { Manifest } from './manifest.ts'
import type { Plugin, ProcessRole, Registration } from './plugin.ts'

/** Where a plugin came from. `command-line`: a folder named with `svc --plugin`, for one run. @since 0.1 */
export type PluginOrigin = 'built-in' | 'home' | 'npm' | 'project' | 'embedded' | 'command-line'

/**
 * A plugin's place in its life. `left-out` never ran; `suspended` runs with at least one listener switched off.
 * @since 0.1
 */
export type PluginStatus = 'available' | 'loaded' | 'started' | 'suspended' | 'draining' | 'failed' | 'left-out'

/** The state of one plugin. @since 0.1 */
export interface PluginInfo {
  readonly manifest: Manifest
  readonly origin: PluginOrigin
  readonly dir: string
  /** Where its data is, when that is not the folder of its name below `data` of the home. */
  readonly dataDir?: string
  readonly status: PluginStatus
  /** Counts up with each reload; 0 when never loaded. */
  readonly generation: number
  /** Why it is not running, or what went wrong last. */
  readonly reason?: string
  /** Of `left-out`: the reason as data. */
  readonly leftOut?: LeftOut
  /** What it holds now. Timers, sockets, listeners and child processes appear where the host audits handles. */
  readonly holds: Readonly<Record<string, number>>
}

/** A plugin did something wrong; the rest of the program went on. @since 0.1 */
export interface PluginProblem {
  readonly plugin: string
  /** `manifest`, `import`, `config`, `setup`, `start`, `hook`, `service`, `dispose`, `stray`, ... */
  readonly stage: string
  readonly message: string
  readonly code: string
  /** As `SvcError.exposes` of the error behind it. */
  readonly exposes?: true
  readonly at: number
}

/** A plugin failed somewhere. @since 0.1 */
export const PluginFailed: NotifyHook<PluginProblem> = notifyHook('plugin:failed')

/** The set of running plugins changed. @since 0.1 */
export const PluginsChanged: NotifyHook<{ readonly names: readonly string[] }> = notifyHook('plugins:changed')

/** A plugin that is about to be installed, or replaced by another version. @since 0.2 */
export interface PluginInstallation {
  readonly kind: 'install' | 'update'
  readonly name: string
  readonly version: string
  /** Where it came from, exactly: a package with its version, a commit, an address, a folder. */
  readonly source: string
  /** The files as they would be placed; absolute. Nothing of them has run. */
  readonly dir: string
  /** SHA-256 over all files that a consent covers, in hexadecimal. */
  readonly hash: string
}

/**
 * `svc plugins install` or `update` has fetched a plugin and is about to ask the person, before any of its code runs. A listener
 * may deny it; `ask` shows its reason with the question, which `--yes` answers. A listener that fails denies. A plugin that
 * listens needs `with: ["config-file"]` in its manifest, which is loaded by these commands.
 * @since 0.2
 */
export const BeforePluginInstall: DecideHook<PluginInstallation> = decisionHook('plugin:installing', {
  timeoutMs: 60_000,
  verdict: () => ({ decision: 'deny', reason: 'a check of the plugin failed; see `svc plugins`' }),
})

/** A plugin that guards gates, and whether it does. @since 0.1 */
export interface GuardState {
  readonly plugin: string
  /** Ids of the hooks it guards. */
  readonly gates: readonly string[]
  /**
   * `disabled`: by the user, so the gates are open; `missing`: it should run and does not, so they deny; `relaxed`: it
   * runs with a setting that leaves out what it is there for, which it reported with `Plugins.report` and stage `guard`.
   */
  readonly state: 'running' | 'relaxed' | 'disabled' | 'missing'
  /** Why it does not run, with what to do. */
  readonly reason?: string
  /** The reason as data, for one that was left out. */
  readonly leftOut?: LeftOut
}

/** A name of an earlier SDK, and what it is now. Its code is never given to another name. @since 0.2 */
export interface SdkRename {
  /** `SVCDEP007`: as logs and documents name it. */
  readonly code: string
  readonly old: string
  readonly new: string
  /** The entry point that exports it now. */
  readonly entry: string
  /** Versions of the SDK: the one with the new name, and the first without the old one. */
  readonly since: string
  readonly removed: string
}

/** The names of the running SDK, for tools that check or rewrite the code of plugins. @since 0.2 */
export interface SdkNames {
  /** Version of the running SDK. */
  readonly version: string
  readonly renames: readonly SdkRename[]
  /** The values that each entry point exports; types are not known when the program runs. */
  readonly values: Readonly<Record<string, readonly string[]>>
}

/**
 * Provided by the kernel. Changes are to the running process; what is written to config is up to the caller.
 * @since 0.1
 */
export interface Plugins {
  list(): readonly PluginInfo[]
  info(name: string): PluginInfo | undefined
  problems(): readonly PluginProblem[]
  /** Every guard that the program knows of. What is not `running` belongs in each status report. */
  guards(): readonly GuardState[]
  /**
   * For a guard that a setting switches off, with stage `guard`: it is listed by `guards` until the plugin is loaded again.
   * For a plugin that keeps running despite a mistake of its user: it is logged, listed and reported to listeners. */
  report(problem: Omit<PluginProblem, 'at'>): void
  /**
   * The service, after loading its provider and what that requires; undefined if no plugin provides it. For what a
   * plugin needs only now and then: its manifest names it under `brings`.
   */
  bring<T>(token: Service<T>): Promise<T | undefined>
  /** Loads a plugin and what it needs. Throws `PLUGIN_UNKNOWN` or `PLUGIN_LEFT_OUT` with the reason. */
  enable(name: string): Promise<void>
  /** Unloads a plugin and those that require it; returns their names. Work under way finishes first. */
  disable(name: string): Promise<readonly string[]>
  /** Replaces the running generation. If the new one fails, the old keeps serving and `PLUGIN_RELOAD_FAILED` is thrown. */
  reload(name: string): Promise<void>
  /**
   * Reads config.yaml and `.env` again and brings the running plugins in line with them, as a process that follows both does: for a
   * command that goes on after it wrote them. What does not work then is among `problems`.
   */
  applyConfig(): Promise<void>
  /** Marks a piece of work: generations in place now stay alive until the returned function is called. */
  pin(): Registration
  /** The code of a plugin without running its `setup`; for its schema and for verification. */
  module(name: string): Promise<Plugin>
  /** The names of the SDK and those of earlier versions. Reads and imports every entry point: not for each start. */
  sdkNames(): Promise<SdkNames>
}
export const Plugins: Service<Plugins> = defineService('plugins', {
  free: ['list', 'info', 'problems', 'guards', 'pin'],
})

/** A process of svc. @since 0.2 */
export interface SvcProcess {
  readonly role: ProcessRole
  readonly pid: number
}

/**
 * The plugins that the process was started with are loaded and started. The start does not wait for listeners.
 * @since 0.2
 */
export const SvcStarted: NotifyHook<SvcProcess> = notifyHook('svc:started')

/**
 * The process ends, also after a signal: everything still runs, and plugins are unloaded after this. All listeners share one
 * second. Not called when the process is killed or crashes.
 * @since 0.2
 */
export const SvcStopping: NotifyHook<SvcProcess> = notifyHook('svc:stopping', { timeoutMs: 900 })
