/** How a call of a tool is shown to people. */

import type { ToolRefusal } from './turn-events.ts'

/** A call of a tool, as far as it has come. @since 0.2 */
export interface ToolCallDisplay {
  readonly name: string
  readonly input: unknown
  readonly state: 'wanted' | 'running' | 'done' | 'failed'
  /** The newest word on how far it is. */
  readonly progress?: string
  readonly text?: string
  readonly data?: unknown
  /** Why it did not run. */
  readonly refusal?: ToolRefusal
}

/**
 * How the calls of one tool are shown. Called with what a model wrote or an older version stored: check every field.
 * @since 0.2
 */
export interface ToolCallView {
  /** The title has the amount: lines of the result are not counted in addition. */
  readonly counts?: true
  /** What the call is about, in a few words: a file, a command. */
  title(call: ToolCallDisplay): string
  /** What is seen when it is unfolded; `inline` is seen always. Markdown, or a unified diff. */
  body?(call: ToolCallDisplay): { readonly kind: 'markdown' | 'diff' | 'text'; readonly text: string } | undefined
  inline?(call: ToolCallDisplay): { readonly kind: 'markdown' | 'diff' | 'text'; readonly text: string } | undefined
}
