/** Approvals: a person decides whether a tool may do what it is about to do. Provided by the plugin `approvals`. */
import type { Disposer } from './plugin.ts'
import { type Service, service } from './token.ts'

/** What a person may answer. `session` holds for like requests of this session, `always` for ever. */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny'

/** A question to a person. It is bound to exactly this command, folder and environment. */
export interface ApprovalRequest {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  readonly tool: string
  /** What would be done, as it would be done: the command, the file. */
  readonly action: string
  /** Why it is asked: "deletes folders recursively". */
  readonly reason: string
  readonly choices: readonly ApprovalChoice[]
  /** Milliseconds since 1970; silence until then is a denial. */
  readonly expiresAt: number
}

/** A front end where somebody can answer. */
export interface Approver {
  /** The front end's name, for the record of who decided. */
  readonly name: string
  /** Whether it can show a request of this session now. */
  reaches(sessionId: string): boolean
  /** Shows it; undefined when nobody answered. Aborted when it was answered elsewhere or ran out of time. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice | undefined>
}

/** Requests are on disk before they are shown and can be answered on any connected front end, also after a restart. */
export interface Approvals {
  /** Offers a front end until the returned function is called. With no front end in reach, requests are denied at once. */
  connect(approver: Approver): Disposer
  pending(): readonly ApprovalRequest[]
  /** Answers a request; `APPROVAL_UNKNOWN` when it is not pending any more. */
  answer(id: string, choice: ApprovalChoice, by: string): void
  /**
   * Lets this process, or one session of it, do without questions until the returned function is called. What is never
   * allowed and what `approvals.deny` forbids stays so.
   */
  askNothing(sessionId?: string): Disposer
}
export const Approvals: Service<Approvals> = service('approvals')

/** The shell that a command is for. */
export interface CommandSetting {
  readonly cwd: string
  /** Set by earlier commands in the same shell. */
  readonly variables?: ReadonlyMap<string, readonly string[]>
}

/** What a command would do, as far as its text tells. */
export interface CommandRisk {
  /** Why nobody may allow it; follows "It": "shuts the machine down or restarts it". */
  readonly never?: string
  /** Patterns it fits. Names are stable; `why` follows "It". */
  readonly dangers: readonly { readonly name: string; readonly why: string }[]
  /** One command, without operators, redirects and substitutions. */
  readonly simple: boolean
  /** In one line, without what only disguises it. */
  readonly text: string
  /** As typed, without comments; left out when there are none. */
  readonly uncommented?: string
  /** As typed, and each command in it as it would be run. */
  readonly spellings: readonly string[]
  /** Variables set afterwards. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that were read, with what was known of them. */
  readonly read: ReadonlyMap<string, string>
}

/** Judges without running anything; never throws. */
export interface CommandRisks {
  command(command: string, setting: CommandSetting): Promise<CommandRisk>
  /** Why a write to this file would matter; undefined when it is a file like any other. */
  write(path: string, cwd: string): Promise<string | undefined>
}
export const CommandRisks: Service<CommandRisks> = service('command-risks')
