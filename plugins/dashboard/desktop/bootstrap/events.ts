/** What a bootstrap tells: events on `svc:bootstrap:event`, and its state on `svc:bootstrap:get`. */
import type { Marker } from './files.ts'
import type { BootstrapStage, StageResult } from './stages.ts'

export type StageState = 'running' | 'succeeded' | 'skipped' | 'failed'

export type BootstrapEvent =
  /** The first one has no stages, so that a page can show at once that something begins. */
  | { readonly type: 'manifest'; readonly stages: readonly BootstrapStage[]; readonly protocolVersion: 1 }
  | {
      readonly type: 'stage'
      readonly name: string
      readonly state: StageState
      readonly durationMs?: number
      /** As the stage printed it. */
      readonly json?: StageResult
      readonly error?: string
    }
  | { readonly type: 'log'; readonly stage?: string; readonly line: string; readonly stream: 'stdout' | 'stderr' }
  | { readonly type: 'complete'; readonly marker: Marker }
  | { readonly type: 'failed'; readonly stage?: string; readonly error: string }
  | ({ readonly type: 'unsupported-platform' } & UnsupportedPlatform)

/** A machine on which no stages run, and what to do there. */
export interface UnsupportedPlatform {
  readonly platform: string
  readonly activeRoot: string
  readonly installCommand: string
  readonly docsUrl: string
}

/** One stage as it is now. */
export interface StageStatus {
  readonly state: StageState
  readonly durationMs?: number
  readonly json?: StageResult
  readonly error?: string
}

/** All that a page needs that has missed events. */
export interface BootstrapSnapshot {
  readonly active: boolean
  readonly manifest: { readonly stages: readonly BootstrapStage[]; readonly protocolVersion: 1 } | null
  readonly stages: Readonly<Record<string, StageStatus>>
  /** The failure that is latched. */
  readonly error: string | null
  /** The last 500 lines. */
  readonly log: readonly { readonly stage?: string; readonly line: string; readonly stream: 'stdout' | 'stderr' }[]
  /** Milliseconds since 1970. */
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly unsupportedPlatform: UnsupportedPlatform | null
}
