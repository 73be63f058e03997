/** Running processes of one home can be asked things: `svc plugins reload x` reaches the chat in another window. */

import { defineService, type Service } from './declarations.ts'
import type { Registration } from './plugin.ts'

/** The reply of one running process: a result or an error. @since 0.1 */
export interface ControlAnswer {
  readonly pid: number
  /** What runs there, such as `chat`; `svc` when the process did not say. */
  readonly command: string
  readonly result?: unknown
  /** `CONTROL_TIMEOUT`, `CONTROL_CLOSED`, `CONTROL_METHOD_UNKNOWN`, `CONTROL_AGENT`, or what the method threw. */
  readonly error?: { readonly code: string; readonly message: string }
}

/**
 * What a process answers; takes and returns plain data. A function is for people: it does not run for a process that the
 * agent started (`CONTROL_AGENT`). A method that changes nothing and decides nothing for a person declares `read` and
 * runs for every caller.
 * @since 0.1
 */
export type ControlMethod =
  | ((params: unknown) => unknown)
  | { readonly read: true; readonly run: (params: unknown) => unknown }

/** Provided by the plugin `control`. Only the user who owns the home is listened to. @since 0.1 */
export interface Control {
  /**
   * Makes this process reachable until the returned function is called; long-running front ends do. `command` tells
   * people what runs here. `plugins.list`, `plugins.enable`, `plugins.disable` and `plugins.reload` are always
   * answered, and what `answer` added. Rejects with `CONTROL_UNAVAILABLE` when the home cannot hold a socket; the
   * program can continue without it.
   */
  serve(command: string, methods?: Readonly<Record<string, ControlMethod>>): Promise<Registration>
  /** Adds methods to this process, wherever and whenever it is reachable, until the returned function is called. */
  answer(methods: Readonly<Record<string, ControlMethod>>): Registration
  /**
   * Calls every reachable process of this home, including this one, and returns the replies by process id. One that
   * has ended is left out; one that does not answer within `timeoutMs` (default 60,000) answers with an error.
   */
  ask(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: {
      readonly timeoutMs?: number
      /** The folder of another home of this user, such as a profile, whose processes are asked. Left out: this home. */
      readonly home?: string
      /** @deprecated The earlier word for `timeoutMs`. */
      readonly limitMs?: number
    },
  ): Promise<readonly ControlAnswer[]>
}
export const Control: Service<Control> = defineService('control', { registers: ['serve', 'answer'] })
