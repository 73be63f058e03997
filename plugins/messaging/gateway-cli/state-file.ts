/** `gateway_state.json`: the state of the gateway, or how it ended, readable while it does not run. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import type { ProcessMark } from 'svc/sdk/kit/process'
import type { GatewayStatus, OutboxStats, PlatformStatus } from 'svc/sdk/platform'

/** The content. Times are in ISO 8601. */
export interface GatewayState {
  readonly kind: 'gateway'
  readonly pid: number
  /** Of the process, see `ProcessMark`. */
  readonly born: string
  readonly argv: readonly string[]
  readonly start_time: string
  readonly gateway_state: GatewayStatus['state'] | 'startup_failed'
  readonly exit_reason: string | null
  readonly restart_requested: boolean
  readonly active_agents: number
  readonly served_profiles: readonly string[]
  readonly platforms: Readonly<Record<string, SavedPlatform>>
  readonly outbox: OutboxStats
  readonly updated_at: string
}

interface SavedPlatform {
  readonly label: string
  readonly state: PlatformStatus['state']
  readonly error_code: string | null
  readonly error_message: string | null
  /** Where people reach the agent, as it was known last. */
  readonly contact?: string
  readonly updated_at: string
}

/** What the process itself adds to its status. */
export interface StateFacts {
  readonly mark: ProcessMark
  readonly argv: readonly string[]
  readonly profile: string
  readonly startedAt: number
  readonly now: number
  readonly state: GatewayState['gateway_state']
  readonly exitReason?: string
  readonly isRestart?: boolean
}

/** Puts it together; without a status nothing was loaded yet. */
export function createState(facts: StateFacts, status: GatewayStatus | undefined): GatewayState {
  const platforms = (status?.platforms ?? []).map(({ name, label, state, code, reason, since, contact }) => {
    const failure = { error_code: code ?? null, error_message: reason ?? null }
    const saved = { label, state, ...failure, ...(contact !== undefined && { contact }), updated_at: iso(since) }
    return [name, saved] as const
  })
  return {
    kind: 'gateway',
    pid: facts.mark.pid,
    born: facts.mark.identity,
    argv: facts.argv,
    start_time: iso(facts.startedAt),
    gateway_state: facts.state,
    exit_reason: facts.exitReason ?? null,
    restart_requested: facts.isRestart ?? false,
    active_agents: status?.busy ?? 0,
    served_profiles: [facts.profile],
    platforms: Object.fromEntries(platforms),
    outbox: status?.outbox ?? { pending: 0, attempting: 0, uncertain: 0, failed: 0 },
    updated_at: iso(facts.now),
  }
}

/** Undefined if it is missing or unreadable. */
export function readState(file: string): GatewayState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as GatewayState | null
    return state?.kind === 'gateway' ? state : undefined
  } catch {
    // No gateway ran in this home yet, or another program wrote the file.
    return undefined
  }
}

/** Atomically: no reader sees half of it. */
export function writeState(file: string, state: GatewayState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeAtomicallySync(file, `${JSON.stringify(state, undefined, 2)}\n`)
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
