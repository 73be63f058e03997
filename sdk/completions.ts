/** Completion of what is being typed into a conversation. */
import type { CommandContext } from './commands.ts'
import { type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'

/** Something that may stand in the text. @since 0.1 */
export interface Completion {
  /** Replaces the text from `from` to the cursor. */
  readonly text: string
  /** In characters (UTF-16 units) of the line that was asked about. */
  readonly from: number
  /** What is shown; left out: the text. */
  readonly label?: string
  /** A few words on it. */
  readonly detail?: string
  /** More can follow at once: a folder, a command that takes arguments. */
  readonly open?: boolean
}

/** Contributed to `Completers`: who knows about one kind of thing, such as `@` and a file. @since 0.1 */
export interface Completer extends Ordered {
  readonly name: string
  /** Completions for `text`, everything before the cursor; empty if it does not apply. Cheap, and never throws. */
  complete(text: string, at: CommandContext): Promise<readonly Completion[]>
}
/** @since 0.1 */
export const Completers: ExtensionPoint<Completer> = extensionPoint('completers', (completer) => completer.name)
