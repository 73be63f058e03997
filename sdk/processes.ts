/** Processes that outlive the call that started them. */

import { defineService, type NotifyHook, notifyHook, type Service } from './declarations.ts'
import { defineSessionState, type SessionState } from './session-state.ts'
import type { SpawnSpec } from './terminals.ts'

/** A program to start. @since 0.2 */
export interface BackgroundProcessOptions {
  readonly sessionId: string
  /** The command, as people and the model know it. */
  readonly command: string
  readonly launch: SpawnSpec
  /** Run it in a new terminal. */
  readonly pty: boolean
  /** Tell the session when it has ended. */
  readonly notifyOnComplete?: boolean
  /** Tell the session of lines that hold one of these texts. Not together with `notifyOnComplete`. */
  readonly watchPatterns?: readonly string[]
  /** Ends it with all it has started. Called with the id of the launched process, while that runs. */
  end(pid: number): Promise<void>
}

/** A process that is known. @since 0.2 */
export interface BackgroundProcess {
  /** `proc_` and twelve hexadecimal digits. */
  readonly id: string
  readonly sessionId: string
  readonly command: string
  readonly status: 'running' | 'exited'
  /** Of the program on this machine. */
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** 128 and the signal's number when it was killed; undefined while it runs, and if its end was not observed. */
  readonly exitCode?: number
  /** It was started by an svc process that has ended: it can be watched and killed, but its output is lost. */
  readonly detached?: boolean
}

/** Keeps track of them; all end with the program. Methods throw `PROCESS_UNKNOWN` for an unknown id. @since 0.2 */
export interface BackgroundProcesses {
  /** Throws `PROCESS_TOO_MANY`, `PROCESS_START` or `PROCESS_NO_PTY`. */
  start(request: BackgroundProcessOptions): Promise<BackgroundProcess>
  /** Those that the session started, and those that it began with as a branch; oldest first. */
  list(sessionId: string): Promise<readonly BackgroundProcess[]>
  get(id: string): Promise<BackgroundProcess>
  /** The end of what it has written, with escape sequences as they came, and how many characters there were before. */
  output(id: string): Promise<{ readonly text: string; readonly omitted: number }>
  /** Resolves when it has ended, after `ms`, or when the signal aborts: then `status` tells. */
  wait(id: string, ms: number, signal?: AbortSignal): Promise<BackgroundProcess>
  /** Ends it with all of its descendants. Returns once it has exited. */
  kill(id: string): Promise<BackgroundProcess>
  /** Drops one that has ended. */
  forget(id: string): Promise<void>
}
export const BackgroundProcesses: Service<BackgroundProcesses> = defineService('processes')

/**
 * The ids of processes that a session has started, which branches of it see too. Written by the provider of `BackgroundProcesses`.
 * @since 0.1
 */
export const StartedProcesses: SessionState<readonly string[]> = defineSessionState('process:started', {
  undo: 'restores',
  parse: (value) => (Array.isArray(value) && value.every((id) => typeof id === 'string') ? value : undefined),
})

/** A notification about a process that a session requested. @since 0.2 */
export interface ProcessNotification {
  readonly processId: string
  readonly sessionId: string
  readonly reason: 'completed' | 'matched'
  /** For the model: what happened, with the output that matters. */
  readonly text: string
}

/** A process has something to say. A front end makes a turn of it. @since 0.2 */
export const ProcessNotified: NotifyHook<ProcessNotification> = notifyHook('process:noticed')
