/**
 * The person of a session, as tools, commands, hooks and gates reach them: one call for a terminal, a chat and the API.
 * Provided by the plugin `people`.
 */

import type { ChoiceDialog, ConversationNotice } from './conversations.ts'
import { defineService, type Service } from './declarations.ts'
import type { Registration } from './plugin.ts'
import type { TurnEventData } from './turn-events.ts'

/** How long an answer is waited for. @since 0.2 */
export interface PersonOptions {
  /**
   * Milliseconds until the question is withdrawn; front ends show the time that is left. Left out: without a limit where a
   * person sits at the front end, else one hour.
   */
  readonly timeoutMs?: number
  /** Withdraws the question when it aborts. */
  readonly signal?: AbortSignal
}

/**
 * Asks the person of a session. A question is shown on every front end that reaches the session, and the first answer
 * counts. `undefined` is the answer where no person can be reached, when the time is over, when the person cancels, and when
 * the turn is interrupted: the caller then does what is safe. No method throws.
 * @since 0.2
 */
export interface Person {
  /** Whether a question would be shown anywhere now. */
  readonly isReachable: boolean
  /** A question of this person is open. Meanwhile the time limit of a hook's listener does not end it. */
  readonly isAsked?: boolean
  /** Asks for a yes or a no. */
  confirm(question: string, options?: PersonOptions): Promise<boolean | undefined>
  /**
   * Asks to choose an item: the `id` of a dialog's item, or one of the texts of a list, which may also be given by itself:
   * `choose('Which size?', ['small', 'large'])`.
   */
  choose(
    ...question:
      | [dialog: ChoiceDialog | { readonly title: string; readonly items: readonly string[] }, options?: PersonOptions]
      | [title: string, items: readonly string[], options?: PersonOptions]
  ): Promise<string | undefined>
  /**
   * Asks for a line of text. A `secret` is not echoed, not recorded and not logged; it is asked for on terminals only.
   */
  ask(question: string, options?: PersonOptions & { readonly secret?: boolean }): Promise<string | undefined>
  /** Asks for a text of several lines, which begins as `text`. */
  edit(title: string, options?: PersonOptions & { readonly text?: string }): Promise<string | undefined>
  /** Shows a notice, as Markdown. It is not shown to the model. */
  say(text: string, tone?: ConversationNotice['tone']): void
}

/** The plugin or tool that asks. @since 0.2 */
export interface PersonSource {
  /** The turn that waits for the answer: the question and the answer are events of its stream. */
  readonly turn?: {
    readonly turnId: string
    readonly signal?: AbortSignal
    emit(event: TurnEventData): void
  }
  /** The slash command that asks: who may not type it in a shared chat may not answer for it either. */
  readonly command?: string
  /** Withdraws its questions when it aborts: `ctx.signal` for what a plugin asks outside of turns and commands. */
  readonly signal?: AbortSignal
}

/** Gives access to the persons of sessions. @since 0.2 */
export interface People {
  /** The person of a session. It is found when it is asked, so front ends may come and go meanwhile. */
  of(sessionId: string, source?: PersonSource): Person
  /**
   * Asks the person of another session instead, until the returned function is called: subagents ask through their parent.
   * `parent` is called for each question.
   */
  forward(sessionId: string, parent: () => string): Registration
}
export const People: Service<People> = defineService('people', { registers: ['forward'], free: ['of'] })

/** The person where there is none: every question has the answer `undefined`, at once. @since 0.2 */
export const unreachablePerson: Person = Object.freeze({
  isReachable: false,
  confirm: async () => undefined,
  choose: async () => undefined,
  ask: async () => undefined,
  edit: async () => undefined,
  say: () => {},
})
