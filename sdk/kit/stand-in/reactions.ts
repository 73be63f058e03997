/** Marks of the agent on messages of people, as services keep them, and notes for single persons. */

/** A mark that was set or taken away. @since 0.2 */
export interface StandInReaction {
  readonly messageId: string
  readonly emoji: string
  readonly isThere: boolean
}

/** A note that only one person saw. @since 0.2 */
export interface StandInNotice {
  readonly userId: string
  readonly text: string
}

/** The marks of a service. @since 0.2 */
export class StandInReactions {
  /** All that happened, oldest first. */
  readonly log: StandInReaction[] = []

  /** What stands under a message now. */
  under(messageId: string): readonly string[] {
    const shown = new Set<string>()
    for (const each of this.log.filter((mark) => mark.messageId === messageId))
      if (each.isThere) shown.add(each.emoji)
      else shown.delete(each.emoji)
    return [...shown]
  }

  /** False when it is there already. */
  add(messageId: string, emoji: string): boolean {
    if (this.under(messageId).includes(emoji)) return false
    return this.log.push({ messageId, emoji, isThere: true }) > 0
  }

  /** False when it is not there. */
  remove(messageId: string, emoji: string): boolean {
    if (!this.under(messageId).includes(emoji)) return false
    return this.log.push({ messageId, emoji, isThere: false }) > 0
  }

  /** One mark takes the place of all others; undefined leaves none. */
  replace(messageId: string, emoji: string | undefined): void {
    for (const each of this.under(messageId)) if (each !== emoji) this.remove(messageId, each)
    if (emoji !== undefined) this.add(messageId, emoji)
  }
}
