/** What became of a message, stage by stage: `svc why`. Plugin `trace`. */
import { defineService, type Service } from './declarations.ts'

/** One stage. @since 0.2 */
export interface TraceStep {
  /** Milliseconds since 1970. */
  readonly at: number
  /** `received`, `admitted`, `queued`, `turn`, `command`, `outbox`, `sent`, ... */
  readonly stage: string
  /** What happened and why, for people. */
  readonly text: string
}

/** Provided by the plugin `trace`; callers work without it. @since 0.1 */
export interface Traces {
  /**
   * Keeps a stage under a trace id. `also` are other ids by which the trace is found: of the platform's message, of the
   * turn, of what was sent. Cheap, and never throws.
   */
  note(trace: string, stage: string, text: string, also?: readonly string[]): void
  /** The stages of the trace that has this id or one of its others; undefined if it is unknown. */
  of(id: string): { readonly trace: string; readonly stages: readonly TraceStep[] } | undefined
}
export const Traces: Service<Traces> = defineService('traces')
