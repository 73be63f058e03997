/** What a kernel is made with. */

import type { ConfigStore } from '../home/config.ts'
import type { PluginRecord } from '../loader/manifest.ts'
import type { Log } from '../program/log.ts'
import type { Ports } from '../program/ports.ts'
import type { Home } from '../sdk/home.ts'
import type { Plugin, ProcessRole } from '../sdk/plugin.ts'
import type { Runtimes } from '../sdk/runtime.ts'
import type { StageLimits } from './host.ts'

export interface KernelOptions {
  readonly home: Home
  readonly config: ConfigStore
  readonly ports: Ports
  readonly log: Log
  /** Everything that could be loaded; asked again before a reload. */
  readonly discover: () => Promise<readonly PluginRecord[]>
  readonly loadModule: (found: PluginRecord) => Promise<Plugin>
  readonly limits?: Partial<StageLimits>
  /** Default `embedded`. */
  readonly role?: ProcessRole
  /** The folder that svc was started in; default that of the process. */
  readonly cwd?: string
  /** Follows timers, sockets and child processes per plugin; costs speed. */
  readonly audit?: boolean
  /** Told of a plugin that keeps everybody waiting. */
  readonly open?: Runtimes['open']
  /** Told of an edit of a folder that was named for this run, once it is in effect. */
  readonly onReloaded?: (plugin: string, generation: number) => void
  readonly onSlow?: (plugin: string, stage: string) => void
  /** Called before code of a user's plugin is loaded. */
  readonly beforeForeign?: () => void
}
