/** From the Markdown that models write to what a chat platform shows. Plugin `markup`. */
import { defineService, type Service } from './declarations.ts'

/** The marks before and after a piece of text. @since 0.2 */
export type Delimiters = readonly [before: string, after: string]

/**
 * How a platform marks up text. What is left out does not exist there: the words stay, without the style. Texts that are
 * handed to functions are escaped already.
 * @since 0.1
 */
export interface Markup {
  readonly bold?: Delimiters
  readonly italic?: Delimiters
  readonly strike?: Delimiters
  /** Code within a line. */
  readonly code?: Delimiters
  /** A block of code. `language` is empty or one word. */
  fence?(code: string, language: string): string
  /** Left out: `text (address)`, or the address alone when the text is the same. */
  link?(text: string, address: string): string
  /** Left out: bold. */
  heading?(text: string, level: number): string
  /** Lines of a quotation. Left out: `> ` before each line. */
  quote?(text: string): string
  /** Before an item of a list (default `- `). */
  readonly bullet?: string
  /** Makes ordinary text harmless. Left out: nothing means anything. */
  escape?(text: string): string
  /** The same within code. Left out: as `escape`. */
  escapeCode?(code: string): string
  /** An address within a link. Left out: as it is. */
  escapeAddress?(address: string): string
}

/** How long a piece may be. @since 0.2 */
export interface ChunkLimits {
  readonly maxTextLength: number
  readonly measure?: 'utf16' | 'codepoints' | 'bytes'
  readonly markup?: Markup
}

/** Provided by the plugin `markup`. @since 0.2 */
export interface MessageFormatter {
  /**
   * Markdown as messages of a platform: each within its limits and well-formed. Cut between blocks where it can
   * be, else between lines, sentences and words, never within a grapheme, a link, or the marks of a fence, which is closed
   * and reopened. Together they show what the source shows. Empty for a blank text.
   */
  pieces(markdown: string, limits: ChunkLimits): readonly string[]
  /** The words of it, without marks. */
  plain(markdown: string): string
}
export const MessageFormatter: Service<MessageFormatter> = defineService('message-text', { free: true })
