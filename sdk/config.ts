/** The user's configuration: reading it (kernel) and changing it (plugin `config`). */

import {
  type DecideHook,
  decisionHook,
  defineService,
  type NotifyHook,
  notifyHook,
  type Service,
} from './declarations.ts'
import type { EnvironmentVariable } from './manifest.ts'

/** A problem in `config.yaml` or `.env`, as a sentence for people. @since 0.1 */
export interface ConfigProblem {
  /** `error`: the value is not used; `warning`: it is kept but nothing reads it. */
  readonly severity: 'error' | 'warning'
  /** Dotted path, or empty for the whole file. */
  readonly path: string
  readonly message: string
  /** What to type or change. */
  readonly hint?: string
  readonly line?: number
  /** How it can be repaired without a person deciding anything. @since 0.2 */
  readonly repair?: ConfigRepair
}

/**
 * A repair of config.yaml or `.env`: edits to write, a method of `ConfigFile` to call, or a file to take from others.
 * @since 0.2
 */
export type ConfigRepair =
  | { readonly kind: 'write'; readonly edits: readonly ConfigEdit[] }
  | { readonly kind: 'restore' | 'migrate' | 'tidy' }
  | { readonly kind: 'close'; readonly file: string }

/** A file whose values lie over those of `config.yaml`. @since 0.1 */
export interface ConfigLayer {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly problem?: string
}

/** Read access. Values have `${VAR}` expanded; a broken file leaves the last good values in place. @since 0.1 */
export interface Config {
  /** The file, whether or not it exists. */
  readonly file: string
  /** The value at a dotted path, or undefined. */
  get(path: string): unknown
  problems(): readonly ConfigProblem[]
  /**
   * The layer of the machine, when there is one: its values are in force over those of every home, profile, flag and
   * environment variable. With a `problem` it cannot be used, and nothing may run.
   */
  readonly machine?: ConfigLayer | undefined
  /**
   * If config.yaml is missing, empty, truncated or invalid: the copy of its last good state and when that was written, in
   * milliseconds since 1970.
   */
  lost(): Promise<{ readonly text: string; readonly at: number } | undefined>
  /**
   * For the writer of the files, before it replaces config.yaml with this text (undefined: no file): confirms that the
   * less in it is meant.
   */
  beforeWrite(text: string | undefined): void
  /**
   * For the writer of the files, after it wrote them: their present state is svc's own, and is not reported as changed
   * from outside at the next start.
   */
  acceptWritten(): Promise<void>
}
export const Config: Service<Config> = defineService('config')

/** The author and the reason of a change. @since 0.2 */
export interface ChangeReason {
  /** A plugin or a command. */
  readonly author: string
  readonly reason: string
}

/** One edit: set a value, or remove it when `value` is undefined. @since 0.1 */
export interface ConfigEdit {
  /** A dotted path, or an environment variable, which is kept in `.env`. */
  readonly path: string
  readonly value: unknown
  /** `value` was typed by a user: it is parsed as one line of YAML, unless the schema of the key requires a string. */
  readonly typed?: true
}

/** A change that was written, as `svc config undo` lists it. @since 0.1 */
export interface ConfigChange extends ChangeReason {
  readonly id: number
  readonly at: number
  /** Unified diff; secret values masked. */
  readonly diff: string
  /** The change that took this one back. */
  readonly undoneBy?: number
}

/**
 * A key of the configuration, or a block of keys, as it may be shown: secrets are `***` wherever they stand.
 * @since 0.2
 */
export interface ConfigEntry {
  /** Dotted path, empty for the whole file; or the name of an environment variable. */
  readonly path: string
  /** What is set, with `${NAME}` filled in; undefined when nothing is. */
  readonly value: unknown
  /** The value as it is written in the file. */
  readonly written: unknown
  /** What holds when nothing is set. */
  readonly default: unknown
  readonly description?: string
  /** Its value is kept in `.env` and asked for without an echo. */
  readonly secret: boolean
  /** The file it is kept in: `config.yaml` or, for a variable, `.env`. */
  readonly file: string
  /** The file of the machine that decides about it, or about a part of it. It cannot be changed here. */
  readonly fixed?: string
  /** The first part of the path that is unknown, and the most similar known path. */
  readonly unknown?: { readonly path: string; readonly nearest?: string }
}

/** The steps that brought `config.yaml` to the newest version. @since 0.1 */
export interface ConfigMigration {
  readonly from: number
  /** The newest version. */
  readonly to: number
  /** Those taken; none when the file was current. */
  readonly steps: readonly { readonly to: number; readonly description: string }[]
  /** What was written. */
  readonly change?: ConfigChange
  /** The copy of the old file. */
  readonly backup?: string
  /** Plugins whose settings were brought to the form of their present version, each in a change of its own. */
  readonly plugins: readonly string[]
  /** Variables that the steps introduced and that are not set. */
  readonly variables: readonly EnvironmentVariable[]
}

/**
 * The one writer of `config.yaml` and `.env`. Minimal edits that keep comments, order and quoting.
 * Whatever writes throws `CONFIG_UNREADABLE` for a file that cannot be parsed and `CONFIG_INVALID` for a value that its
 * owner does not accept, journals what it did, and resolves to undefined when there was nothing to do.
 * @since 0.1
 */
export interface ConfigFile {
  /** Writes edits in one step. Variables and keys marked as secret go to `.env`, also while config.yaml is broken. */
  write(edits: readonly ConfigEdit[], by: ChangeReason): Promise<ConfigChange | undefined>
  /** Throws what `write` would throw for these edits. Writes nothing. @since 0.2 */
  checkEdits(edits: readonly ConfigEdit[]): Promise<void>
  /**
   * Replaces config.yaml by an edited text. `base` is what the edit began with: what was written
   * meanwhile is kept, or `CONFIG_EDIT_CONFLICT` thrown when it touches the same lines.
   */
  replace(text: string, base: string, by: ChangeReason): Promise<ConfigChange | undefined>
  /** Takes back the newest change, or the one with this id; `CONFIG_UNDO_CONFLICT` when later edits touch it. */
  undo(id?: number): Promise<ConfigChange>
  /** Restores the last valid state if config.yaml is missing, empty, truncated or invalid; throws `CONFIG_NOT_LOST` otherwise. */
  restore(): Promise<ConfigChange | undefined>
  /** Keeps config.yaml as it is, although it has less in it than before. */
  accept(): Promise<void>
  /** Newest first. */
  history(): Promise<readonly ConfigChange[]>
  /** Brings config.yaml to the newest version and keeps a copy of the old one. */
  migrate(): Promise<ConfigMigration>

  /**
   * Turns lines of `.env` that are not read into comments: those that are no assignments, and assignments that a later one of the
   * same name replaces. No value changes. @since 0.2
   */
  tidy(by: ChangeReason): Promise<ConfigChange | undefined>
  /** Writes the steps of `configMigrations` that the block of a plugin lacks. Throws `PLUGIN_UNKNOWN` and like `write`. */
  migrateSettings(plugin: string, by: ChangeReason): Promise<ConfigChange | undefined>

  /** The text of config.yaml, or what a new one begins with: for an editor. Nothing in it is masked. */
  text(): Promise<string>
  /** One key or block, set or not; the empty path is the whole file. Throws `CONFIG_PATH` for an invalid path. */
  read(path: string): Promise<ConfigEntry>
  /** All keys that are set or that a plugin knows, each block before its keys. Lists are values. */
  keys(): Promise<readonly ConfigEntry[]>
  /** All problems and unused keys of both files. `text` replaces the content of config.yaml, to check it before writing. */
  check(text?: string): Promise<readonly ConfigProblem[]>
  /** Of each plugin with something set: what it does not accept of that. Plugins with nothing set are not asked. */
  refused(): Promise<readonly (ConfigProblem & { readonly plugin: string })[]>
}
export const ConfigFile: Service<ConfigFile> = defineService('config-file')

/** The config was read again; `paths` are the top-level blocks that differ. @since 0.1 */
export const ConfigChanged: NotifyHook<{ readonly paths: readonly string[] }> = notifyHook('config:changed')

/** A change of the configuration that is not in force yet. @since 0.2 */
export interface ConfigChangeRequest {
  /** `svc`: a command, a screen or a plugin writes it. `disk`: the file was edited by something else. */
  readonly source: 'svc' | 'disk'
  /** Of a change that svc writes. */
  readonly by?: ChangeReason
  /** The dotted paths whose values differ, and the names of variables in `.env` that svc writes. */
  readonly paths: readonly string[]
  /** The values of config.yaml now and after the change. A `${NAME}` is not filled in where svc writes. */
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/**
 * Before svc writes config.yaml or `.env`, and before a running process takes over an edit from disk. A denied write throws
 * `CONFIG_CHANGE_DENIED` and leaves both files as they are; a denied edit stays in the file, the process keeps its last values, and
 * `svc doctor` shows the reason. `ask` denies. A failing listener denies. Only plugins that run in the process that writes or
 * follows are called, and a start reads the file as it is: rules that hold against the owner of the home belong into the
 * layer of the machine.
 * @since 0.2
 */
export const BeforeConfigChange: DecideHook<ConfigChangeRequest> = decisionHook('config:before-change', {
  verdict: () => ({ decision: 'deny', reason: 'a plugin could not check the change' }),
})

/** The dotted paths of the leaves that differ; a list is one value. @since 0.2 */
export function diffConfigPaths(before: unknown, after: unknown): readonly string[] {
  const walk = (one: unknown, other: unknown, path: readonly string[]): string[] => {
    if (!isMapping(one) && !isMapping(other))
      return JSON.stringify(one) === JSON.stringify(other) ? [] : [formatConfigPath(path)]
    const [left, right] = [isMapping(one) ? one : {}, isMapping(other) ? other : {}]
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
    return keys.flatMap((key) => walk(left[key], right[key], [...path, key]))
  }
  return walk(before, after, [])
}

/**
 * The segments of a dotted path; keys that hold dots stand in double quotes: `a."b.c".0`. Undefined when malformed.
 * @since 0.2
 */
export function parseConfigPath(text: string): readonly string[] | undefined {
  const segments: string[] = []
  const segment = /"((?:[^"\\]|\\.)*)"|([^".]+)/sy
  for (let at = 0; at <= text.length; at = segment.lastIndex + 1) {
    segment.lastIndex = at
    const found = segment.exec(text)
    if (!found || (segment.lastIndex < text.length && text[segment.lastIndex] !== '.')) return undefined
    segments.push(found[1] === undefined ? (found[2] as string) : found[1].replace(/\\(.)/gs, '$1'))
  }
  return segments
}

/** Segments as a person would type them; `parseConfigPath` gives them back. @since 0.2 */
export function formatConfigPath(segments: readonly string[]): string {
  return segments.map((part) => (/^[^".]+$/.test(part) ? part : `"${part.replace(/["\\]/g, '\\$&')}"`)).join('.')
}

/** The value at a path, in lists by index; undefined if it does not exist. Ignores inherited properties. @since 0.2 */
export function getAtPath(values: unknown, path: readonly string[]): unknown {
  let value = values
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** `fixed` laid over `values`: each of its leaves wins, lists as a whole. Neither is changed. @since 0.2 */
export function applyFixed(values: unknown, fixed: unknown): unknown {
  if (!isMapping(fixed)) return fixed
  // Without a leaf it decides nothing.
  if (values !== undefined && !isFixedAt(fixed, [])) return values
  const under = isMapping(values) ? values : {}
  const over = Object.entries(fixed).map(([key, value]) => {
    return [key, applyFixed(Object.hasOwn(under, key) ? under[key] : undefined, value)] as const
  })
  return Object.fromEntries([...Object.entries(under), ...over])
}

/** Whether values laid over others decide about what is at, above or below a path. @since 0.2 */
export function isFixedAt(fixed: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (!isMapping(fixed)) return fixed !== undefined
  if (key === undefined) return Object.values(fixed).some((value) => isFixedAt(value, []))
  return Object.hasOwn(fixed, key) && isFixedAt(fixed[key], rest)
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
