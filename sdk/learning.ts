/** What the agent has learned, of several plugins in one list: the journey shows it as a graph, and people correct it there. */
import { checkMembers, type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'

/** An entry of a source. Texts have their secrets masked. @since 0.2 */
export interface LearnedEntry {
  /** Unique in its source, and the same as long as the entry is. At most 200 characters. */
  readonly id: string
  /** For people, one line. */
  readonly title: string
  /** All of its text: links are found in it. */
  readonly text: string
  /** By which the texts of other entries mention it, such as the name of a skill. */
  readonly name?: string
  /** Names of entries that it says it belongs to. */
  readonly related?: readonly string[]
  /** When it was learned, in milliseconds. */
  readonly at?: number
  /** In which session, where that is known. */
  readonly sessionId?: string
  /** It came with the program or from elsewhere. It is shown only where something that was learned is linked to it. */
  readonly isBrought?: boolean
  readonly canEdit: boolean
  readonly canRemove: boolean
}

/**
 * A kind of things that the agent learns, contributed to `LearningSources`. All methods but `list` are for a person, who is the author
 * then; they reject with an `SvcError` that has a `status`: 404 for an entry that is not there, 409 for one that may not be changed.
 * @since 0.2
 */
export interface LearningSource extends Ordered {
  readonly name: string
  /** One entry, in English and singular: `skill`. */
  readonly kind: string
  /** The heading of its entries, in the language of the user. */
  title(): string
  /** In the order in which people see them. */
  list(signal: AbortSignal): Promise<readonly LearnedEntry[]>
  /** The content as it is edited. */
  read(id: string, signal: AbortSignal): Promise<string>
  /** Replaces the content, unless it is not `before` any more. Resolves with the id of the entry, which may be another one. */
  edit(
    id: string,
    change: { readonly before?: string; readonly after: string; readonly signal: AbortSignal },
  ): Promise<string>
  /** Takes the entry away so that `restore` brings it back. */
  remove(id: string, signal: AbortSignal): Promise<void>
  restore(id: string, signal: AbortSignal): Promise<void>
}
/** @since 0.2 */
export const LearningSources: ExtensionPoint<LearningSource> = extensionPoint(
  'learning-sources',
  (source) => source.name,
  undefined,
  {
    problem: checkMembers({
      ...{ name: 'string', kind: 'string', title: 'function', list: 'function' },
      ...{ read: 'function', edit: 'function', remove: 'function', restore: 'function' },
    }),
  },
)
