/** A plugin and the context it is given. */

import type { ExtensionPoint, Hook, Service } from './declarations.ts'
import type { Schema } from './schema.ts'
import type { PluginSessionState, PluginSessionStateOptions, PluginState, StateOptions } from './state.ts'

/** Undoes one thing. Run once, last registered first, each with its own time limit. @since 0.2 */
export type Dispose = () => void | Promise<void>

/**
 * What a registration returns: call it to undo the registration, or declare it with `using`, or with `await using` to wait for
 * the end. It also ends with the plugin. Who only asks for a `Dispose` takes any function.
 * @since 0.2
 */
export interface Registration extends Disposable, AsyncDisposable {
  (): void | Promise<void>
}

/** One line per event; secrets are masked and the plugin is named. `fields` must be plain data. @since 0.1 */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** The order of a listener. @since 0.2 */
export interface HookOptions {
  /** Run before the listeners of these plugins. */
  readonly before?: readonly string[]
  /** Run after the listeners of these plugins, also where `order` says otherwise. Plugins that do not listen are ignored. */
  readonly after?: readonly string[]
  /** Lower runs earlier (default 50), as for the items of points. */
  readonly order?: number
  /** @deprecated The earlier word for `order`; its default is 0, so it is `order` less 50. */
  readonly stage?: number
  /**
   * What a failure of this listener means, where that is stricter than what the hook declares: `stop` fails the call.
   * For a redactor or an audit without which nothing may go out.
   */
  readonly failure?: 'stop'
  /**
   * Milliseconds that this listener may take, where it waits for programs or people and bounds that wait itself. Only makes the
   * limit of the hook longer, up to ten minutes.
   */
  readonly timeoutMs?: number
  /** @deprecated The earlier word for `timeoutMs`. */
  readonly limitMs?: number
  /**
   * Only calls of these tools, by any of their names: `['terminal']`, `['Bash', 'Write']`. For other tools the listener is not
   * called, so its failure means nothing there. Only for hooks of tool calls; other hooks refuse it with `HOOK_MATCHER`.
   */
  readonly tools?: readonly string[]
}

/** A live, typed view of everything contributed to one point. @since 0.2 */
export interface ContributionRegistry<T> {
  get(key: string): T | undefined
  /** All items by their `order`, those of one order as they were added: a snapshot that later changes do not touch. */
  all(): readonly T[]
  /** The plugin that contributed the item. */
  owner(key: string): string | undefined
  /**
   * Calls into an item: what `work` returns, or undefined if it throws or returns what `accepts` refuses. That is charged
   * to the plugin that contributed the item; after five failures in a minute the item is not called any more. The same
   * holds for a promise that `work` returns: it resolves to undefined where it would reject.
   */
  attempt<R>(item: T, work: () => Promise<R>, accepts?: (value: unknown) => boolean): Promise<R | undefined> | undefined
  attempt<R>(item: T, work: () => R, accepts?: (value: unknown) => boolean): R | undefined
  onChange(listener: () => void): Registration
}

/**
 * What a process of svc does, by the command that it runs: `terminal` for a conversation of a person, `gateway` for chat
 * platforms and the API, `command` for every other shell command, `embedded` inside another program and in tests.
 * @since 0.2
 */
export type ProcessRole = 'terminal' | 'gateway' | 'command' | 'embedded'

/** How a job runs. @since 0.2 */
export interface JobOptions {
  /** The first run is when the plugin has started, instead of one interval later (default false). */
  readonly atStart?: boolean
  /** The largest part of a wait that is added at random, from 0 to 1 (default 0). */
  readonly jitter?: number
  /**
   * `process` (default): every process of svc runs it. `home`: one process of those with this home runs it; another one
   * takes over, at its next turn, when that process or its plugin ends.
   */
  readonly one?: 'process' | 'home'
  /** Tells jobs with `one: 'home'` of one plugin apart: letters, digits and hyphens (default `job`). */
  readonly name?: string
}

/** A job that is repeated. @since 0.2 */
export interface RepeatedJob extends Registration {
  /**
   * Something has happened that the job is to see: its next run begins in at most `ms` milliseconds (default 0), and not
   * before the run under way has ended. After failures their wait is kept. Does nothing before the start of the plugin.
   */
  wake(ms?: number): void
}

/**
 * All that a plugin sees of the program: sixteen verbs and six facts. Everything registered here ends with the plugin.
 * @since 0.1
 */
export interface PluginContext<Config> {
  readonly name: string
  /** The plugin's config block, checked against its schema; frozen for this generation. */
  readonly config: Config
  readonly log: Logger
  /** A folder of the plugin's own under SVC_HOME. It may not exist yet. */
  readonly dataDir: string
  /** Aborted when the plugin is unloaded. */
  readonly signal: AbortSignal
  /** The process that the plugin runs in. */
  readonly process: { readonly role: ProcessRole }

  /** Listens to a hook. */
  on<L, V, C, R>(hook: Hook<L, V, C, R>, listener: NoInfer<L>, options?: HookOptions): Registration
  /** Calls a hook's listeners: `call(hook, value)`, `call(transform, value, context)`, `call(wrap, input, innermost)`. */
  call<L, V, C, R>(
    hook: Hook<L, V, C, R>,
    value: V,
    ...context: C extends undefined ? [] : [context: NoInfer<C>]
  ): Promise<R>

  /** Offers a service; `make` runs on first use. */
  provide<T extends object>(token: Service<T>, make: () => NoInfer<T>): Registration
  /** The service, resolved now; throws `SERVICE_UNAVAILABLE`. Do not keep the result across turns. */
  use<T>(token: Service<T>): T
  /** The service, or undefined if no plugin provides it. */
  find<T>(token: Service<T>): T | undefined

  /** Contributes an item; throws `CONTRIBUTION_TAKEN` when its key is. */
  add<T, Given>(point: ExtensionPoint<T, Given>, item: NoInfer<unknown extends Given ? T : Given>): Registration
  /**
   * Puts an item in the place of the one that has this key, for all who look for it; `make` gets that one and is called when it
   * is there, and again when that one was reloaded. The new item keeps the name. Of several replacements each gets the one
   * before, in the order of the names of their plugins. The manifest names it in `replaces`, and the user agrees to that.
   * What `make` throws for an item that is there fails the setup; later it is reported and the original serves, as it does
   * again when the plugin ends. Throws `PLUGIN_MANIFEST_LIES`, `CONTRIBUTION_INVALID` and `REPLACEMENT_REFUSED`.
   */
  replace<T>(point: ExtensionPoint<T>, key: string, make: (inner: T) => NoInfer<T>): Registration
  /**
   * Puts a service around another one, as `replace` does; `make` is called when the service is used. The manifest names it in
   * `wraps`. Closed services, those of the kernel and of guards, and those that depend on their caller cannot be wrapped.
   */
  wrap<T extends object>(token: Service<T>, make: (inner: T) => NoInfer<T>): Registration

  /** Everything contributed to a point. */
  all<T>(point: ExtensionPoint<T>): ContributionRegistry<T>

  /**
   * What stays open while the plugin is reloaded: a conversation, a connection, what others registered here. `make` runs for
   * the first generation that asks; each later one gets the same value, so nothing of it is lost in the swap. It works with
   * the context it is given, whose registrations and signal outlive generations too and whose `config` is that of the one
   * that serves; `add`, `provide`, `onStart` and `keep` throw there. `end` runs when the plugin is unloaded and no generation
   * follows. The code of a value is that of the generation that made it.
   */
  keep<T>(key: string, make: (ctx: PluginContext<Config>) => T, end?: (value: T) => void | Promise<void>): T
  /** Runs after every plugin is set up: the place to connect, listen and poll. */
  onStart(start: () => void | Promise<void>): void
  /**
   * A value that is kept in a file below `dataDir`, for what needs no database. `name`: lower-case letters, digits and
   * hyphens. Nothing is read before the first `get`. Throws `STATE_INVALID` for an initial value that does not fit the schema.
   */
  state<T>(name: string, options: StateOptions<T>): PluginState<T>
  /** A value that is stored with each session; `name` as for `state`. Needs the plugin `sessions` when it is used. */
  sessionState<T>(name: string, options: PluginSessionStateOptions<T>): PluginSessionState<T>

  /**
   * Repeats a job from the start of the plugin on: `ms` milliseconds after a run ended the next one begins, so runs never
   * overlap. What a job throws is reported as a problem of the plugin, and each failure doubles the wait, up to an hour. The
   * end of the plugin aborts the signal and waits for the run under way. Jobs do not keep the process alive. Throws
   * `JOB_INVALID`.
   */
  every(
    ms: number | (() => number),
    job: (signal: AbortSignal) => Promise<void> | void,
    options?: JobOptions,
  ): RepeatedJob
  /** Runs a job once, `ms` milliseconds after the start of the plugin or after the call, whichever is later; else as `every`. */
  timeout(ms: number, job: (signal: AbortSignal) => Promise<void> | void): Registration

  /** Runs when the plugin is unloaded. */
  defer(disposer: Dispose): Registration
}

/**
 * Brings the settings of an earlier version of a plugin to the next form. A pure function of the values: it is called at each
 * load until config.yaml is written, and with `${NAME}` both filled in and as written. It gets a copy, and throws for values
 * that it cannot bring over. A block that a person wrote by hand has no version: leave keys that have the new form already.
 * @since 0.2
 */
export type ConfigMigrationStep = (old: Record<string, unknown>) => Record<string, unknown>

/** The default export of a plugin's `index.ts`. @since 0.1 */
export interface Plugin<Config = unknown> {
  /** The schema of the plugin's config block. */
  readonly config?: Schema<Config>
  /**
   * Steps from the first form of the config block to the present one, oldest first; append new ones, never remove or reorder.
   * `settings_version` in the block is the number of steps taken. The steps that a block lacks are taken in memory before the
   * schema checks it, and written to config.yaml by `svc chat`, `svc gateway run`, `svc config migrate` and whatever else
   * writes to the block. A step that throws, a result that the schema refuses (`SETTINGS_MIGRATION`) or a block with a
   * later version (`SETTINGS_TOO_NEW`) keeps the plugin out and leaves the file as it is.
   */
  readonly configMigrations?: readonly ConfigMigrationStep[]
  /** Registers; does no I/O. May return one more disposer. */
  setup(ctx: PluginContext<Config>): void | Dispose | Promise<void | Dispose>
}

/** Types a plugin; returns it as it is. @since 0.1 */
export function definePlugin<Config = undefined>(plugin: Plugin<Config>): Plugin<Config> {
  return plugin
}
