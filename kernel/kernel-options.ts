/** What a kernel is made with: everything that it needs and does not do itself. */
import type { Home } from '../sdk/home.ts'
import type { Logger, Plugin, PluginContext, ProcessRole } from '../sdk/plugin.ts'
import type { PluginInfo, SdkNames } from '../sdk/plugins.ts'
import type { Clock, Random } from '../sdk/ports.ts'
import type { ContextOwner } from './context.ts'
import type { StageLimits } from './host.ts'
import type { Owner } from './owner.ts'
import type { PluginRecord } from './plugin-record.ts'

/** What was read of the folder of a plugin and agreed to. */
export interface AgreedContent {
  /** Over all files. */
  readonly hash: string
  /** SHA-256 by file. */
  readonly files: ReadonlyMap<string, string>
}

/** Whether a plugin of a user may run. */
export interface Judgement {
  /** Why it must not. */
  readonly refusal?: string
  /** None where any code may run. */
  readonly content?: AgreedContent
}

/** A plugin of a user whose code is there in the form that was agreed to. */
export interface PackedPlugin {
  /** Its own frames are in the stack of whatever goes wrong in it, so that what it starts need not be followed. */
  readonly isQuiet: boolean
  /** Evaluates it as code of the owner. */
  load(owner: Owner | undefined): Plugin
}

export interface KernelOptions {
  readonly home: Home
  readonly config: KernelConfig
  readonly settings: PluginSettings
  readonly ports: { readonly clock: Clock; readonly random: Random }
  readonly log: { for(plugin: string): Logger }
  /** Everything that could be loaded; asked again before a reload. */
  readonly discover: () => Promise<readonly PluginRecord[]>
  /** Whether the code of foreign plugins that are switched on may run. */
  readonly judge: (found: readonly PluginRecord[]) => Promise<ReadonlyMap<PluginRecord, Judgement>>
  /** `content`: of a plugin of a user, what was agreed to and read a moment ago. */
  readonly loadModule: (found: PluginRecord, content: AgreedContent | undefined) => Promise<Plugin>
  /** The code for this content, if it is there without the folder of the plugin. */
  readonly findPacked: (found: PluginRecord, content: AgreedContent) => Promise<PackedPlugin | undefined>
  /** What keeps every turn from running; empty when all plugins run that must. */
  readonly unmet: (info: (name: string) => PluginInfo | undefined) => readonly Unmet[]
  /** The state of a plugin. */
  readonly states: (whose: ContextOwner) => Pick<PluginContext<unknown>, 'state' | 'sessionState'>
  /** The jobs of a plugin. */
  readonly jobs: (whose: ContextOwner) => Pick<PluginContext<unknown>, 'every' | 'timeout'>
  readonly readSdkNames: () => Promise<SdkNames>
  readonly limits?: Partial<StageLimits>
  /** Default `embedded`. */
  readonly role?: ProcessRole
  /** The folder that svc was started in; default that of the process. */
  readonly cwd?: string
  /** Timers, sockets and child processes by plugin, where they are followed. */
  readonly handles?: OpenHandles
  /** Told of a plugin that keeps everybody waiting. */
  readonly onSlow?: (plugin: string, stage: string) => void
  /** Called before code of a user's plugin is loaded; `isFollowed`: what it starts is followed. */
  readonly beforeForeign?: (isFollowed: boolean) => void
}

/** The configuration, as far as it decides which plugins run. */
export interface KernelConfig {
  /** The value at a dotted path. */
  get(path: string): unknown
  /** Reads it again; the top-level blocks that differ from before. */
  load(): Promise<string[]>
  /** Why an edit that svc did not make is not taken over, as a sentence. */
  refuseEdit(): Promise<string | undefined>
}

/** The block of settings of each plugin. */
export interface PluginSettings {
  /** Checked by the schema of its code. Throws what is wrong with them. */
  read(found: PluginRecord, code: Plugin): unknown
  /** One text that differs when they do; without `code` in the form that is stored. */
  fingerprint(found: PluginRecord, code: Plugin | undefined): string
}

/** What plugins hold open, as the system knows it. */
export interface OpenHandles {
  /** Counts by kind. */
  ownedBy(owner: Owner): Readonly<Record<string, number>>
  /** What one holds open is the other's from now on. */
  move(from: Owner, to: Owner): void
}

/** A condition that keeps every turn from running. */
export interface Unmet {
  /** The plugin that does not run; empty when a configuration file itself is the matter. */
  readonly plugin: string
  readonly reason: string
  /** What to type or change. */
  readonly fix: string
}
