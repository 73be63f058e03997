/** Markdown and code as lines of a terminal. Plugin `markdown`. */

import { defineService, type Service } from './declarations.ts'
import type { StyledLine } from './text-layout.ts'

/** A text that grows, as a model writes it. What is finished is laid out once. @since 0.1 */
export interface MarkdownStream {
  append(text: string): void
  /** No more will come: what was left open is shown as it was written, like `Markdown.lines` shows it. */
  end?(): void
  /**
   * All that is there; a block that is still being written is shown as what it is likely to become. Costs what changed:
   * the list is the same one for a width, and changes after the next `append` or `end`.
   */
  lines(width: number): readonly StyledLine[]
  readonly text: string
}

/** Provided by the plugin `markdown`. Control characters never come through. @since 0.1 */
export interface Markdown {
  /** CommonMark with tables, strike-through and task lists. */
  lines(text: string, width: number): readonly StyledLine[]
  stream(): MarkdownStream
  /** Highlighted; `language` as after a fence, or the end of a file's name. Not wrapped: longer lines are the caller's. */
  code(text: string, language: string | undefined): readonly StyledLine[]
  /** A unified diff, with what changed within a line marked. */
  diff(text: string, width: number): readonly StyledLine[]
}
export const Markdown: Service<Markdown> = defineService('markdown', { free: true })
