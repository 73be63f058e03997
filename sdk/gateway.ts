/** The gateway: connects chat platforms and brings messages to conversations and back. Plugin `gateway`. */
import { defineService, type NotifyHook, notifyHook, type Service } from './token.ts'

/**
 * `connecting`; `connected`: proof of life within a minute; `degraded`: connected, but silent; `retrying`: the connection is
 * lost and being restored; `paused`: paused by a user; `fatal`: retrying is useless; `disabled`: not configured.
 */
export type PlatformState = 'connecting' | 'connected' | 'degraded' | 'retrying' | 'paused' | 'fatal' | 'disabled'

/** How a platform is. */
export interface PlatformStatus {
  readonly name: string
  readonly label: string
  readonly state: PlatformState
  readonly code?: string
  /** Why it is not connected, and what to do. */
  readonly reason?: string
  readonly attempts: number
  /** Milliseconds since 1970. */
  readonly since: number
  readonly retryAt?: number
  /** The last event of the server or round trip. */
  readonly aliveAt?: number
}

/** Messages that leave, counted by their state. */
export interface OutboxStats {
  readonly pending: number
  readonly attempting: number
  readonly uncertain: number
  readonly failed: number
}

/** How the gateway is. */
export interface GatewayStatus {
  readonly state: 'starting' | 'running' | 'degraded' | 'draining' | 'stopped'
  readonly pid: number
  readonly startedAt: number
  readonly version: string
  readonly platforms: readonly PlatformStatus[]
  readonly conversations: number
  /** Turns under way. */
  readonly busy: number
  readonly inbox: { readonly waiting: number; readonly running: number }
  readonly outbox: OutboxStats
}

/** Provided by the plugin `gateway`. */
export interface Gateway {
  status(): GatewayStatus
  /** Connects the configured platforms and resumes unfinished work. */
  start(): Promise<void>
  /** Takes nothing new, waits for turns under way for so long, and disconnects. */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /** Throws `GATEWAY_PLATFORM` for an unknown name. */
  pause(name: string): Promise<void>
  resume(name: string): Promise<void>
  /** Resolves when no message is being taken, answered or sent. */
  idle(): Promise<void>
}
export const Gateway: Service<Gateway> = defineService('gateway')

/** The state of a platform changed. */
export const PlatformChanged: NotifyHook<PlatformStatus> = notifyHook('platform:changed')
