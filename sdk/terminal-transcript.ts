/** How messages, and entries of plugins, are shown in the conversation of the full screen. */

import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { StyledLine } from './text-layout.ts'

/** A message as it is shown. @since 0.2 */
export interface ShownMessage {
  /** `notice` is what a command or a plugin said. */
  readonly kind: 'user' | 'answer' | 'reasoning' | 'notice'
  /** Markdown, except for `user` and `reasoning`. */
  readonly text: string
  /** It is still being written. */
  readonly isOpen: boolean
}

/** Room for lines: the width in cells, and whether the user unfolded them. @since 0.2 */
export interface RenderRoom {
  readonly width: number
  readonly isUnfolded: boolean
}

/**
 * How some messages are drawn. Contributed to `MessageRenderers`; the first one that returns lines is used.
 * @since 0.2
 */
export interface MessageRenderer extends Ordered {
  readonly name: string
  readonly kinds: readonly ShownMessage['kind'][]
  /** At most 1,000 lines; undefined leaves the message to the next renderer and at last to the screen. Pure and cheap. */
  lines(message: ShownMessage, room: RenderRoom): readonly StyledLine[] | undefined
}
/** @since 0.2 */
export const MessageRenderers: ExtensionPoint<MessageRenderer> = extensionPoint(
  'message-renderers',
  (renderer) => renderer.name,
  undefined,
  { problem: checkMembers({ name: 'string', kinds: 'list', lines: 'function' }) },
)

/**
 * Something that a plugin puts into a conversation for the user, not for the model: `TuiContext.addEntry`. It is stored with the
 * session: a branch, an export and a removal include it, and `/undo` takes it back.
 * @since 0.2
 */
export interface SessionEntry {
  /** By it the renderer is found; begins with the name of the plugin: `weather:report`. */
  readonly kind: string
  /** Shown where there is no renderer: Markdown. At most 16,000 characters. */
  readonly text: string
  /** Plain data of at most 16,000 characters as JSON. A renderer checks it: an older version may have stored it. */
  readonly data?: unknown
}

/** How entries of one kind are drawn. Contributed to `EntryRenderers`. @since 0.2 */
export interface EntryRenderer extends Ordered {
  readonly kind: string
  /** As `MessageRenderer.lines`. */
  lines(entry: SessionEntry, room: RenderRoom): readonly StyledLine[]
}
/** @since 0.2 */
export const EntryRenderers: ExtensionPoint<EntryRenderer> = extensionPoint(
  'entry-renderers',
  (renderer) => renderer.kind,
  undefined,
  { problem: checkMembers({ kind: 'string', lines: 'function' }) },
)
