/** The gateway of this home as a process: how it is, and how it is started and ended, from any other process. */
import { defineService, type Service } from './declarations.ts'
import type { GatewayStatus, PlatformStatus } from './gateway.ts'

/** How the gateway is, or how the last one ended. @since 0.2 */
export interface GatewayProcessStatus {
  /** It answers. */
  readonly isRunning: boolean
  /** `starting` also while a process holds the home and does not answer yet; `startup_failed`: the last start failed. */
  readonly state: GatewayStatus['state'] | 'startup_failed'
  /** It has done all it does at its start. */
  readonly isReady: boolean
  readonly pid?: number
  /** The process that starts it again after a crash. */
  readonly supervisor?: number
  /** Milliseconds since 1970. */
  readonly startedAt?: number
  /** Of one that does not run. */
  readonly endedAt?: number
  /** Why it does not run, as a sentence. */
  readonly exitReason?: string
  /** Turns under way. */
  readonly busy: number
  /** It was asked to end, and waits for turns under way. */
  readonly ending?: 'stop' | 'restart'
  /** It begins no turns, since then. */
  readonly drainedAt?: number
  /** Of one that does not run: as they were. */
  readonly platforms: readonly Pick<PlatformStatus, 'name' | 'label' | 'state' | 'reason' | 'contact'>[]
}

/** How a change of the gateway is followed, and what a new process gets. @since 0.2 */
export interface GatewayProcessOptions {
  /** Called with each line that tells people how it goes. */
  readonly report?: (line: string) => void
  /** Changes of the environment that a new process gets; undefined removes a variable. Left out: as that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/**
 * Bring it with `Plugins.bring`. Each change resolves when it is done and rejects with
 * `GATEWAY_ACTION` when it failed. It may take as long as `gateway.drain_seconds` and a minute for platforms to connect. Called inside
 * the gateway, `stop` and `restart` resolve when it was told: it ends once turns under way are done.
 * @since 0.2
 */
export interface GatewayProcess {
  status(): Promise<GatewayProcessStatus>
  /** In the background, or as the installed service. Resolves also when it runs already. */
  start(options?: GatewayProcessOptions): Promise<void>
  /** Resolves also when none runs. */
  stop(options?: GatewayProcessOptions): Promise<void>
  /** Starts it if none runs. */
  restart(options?: GatewayProcessOptions): Promise<void>
  /**
   * The running gateway begins no turns (see `Gateway.drain`) until `cancelDrain` or its end. Resolves at once, with the turns under way;
   * rejects with `GATEWAY_NOT_RUNNING`, and with `GATEWAY_ENDING` while it stops.
   */
  drain(options?: { readonly isQuiet?: boolean }): Promise<{ readonly drainedAt: number; readonly busy: number }>
  cancelDrain(): Promise<{ readonly wasDraining: boolean }>
}
export const GatewayProcess: Service<GatewayProcess> = defineService('gateway-process')
