/** What the events of a turn come to, for front ends that answer in one piece. */

import type { Usage } from './messages.ts'
import type { TurnEndReason, TurnEvent } from './turn-events.ts'

/**
 * What a turn came to, from its events in order. Texts of several rounds stand apart; an answer that was continued is one
 * text. Pictures are part of the text, in Markdown.
 * @since 0.1
 */
export class TurnOutcome {
  text = ''
  usage: Usage = {}
  reason: TurnEndReason | undefined
  error: { readonly code: string; readonly message: string } | undefined
  /** The model ran into its output limit. */
  isCut = false
  /** The last event. */
  seq = 0
  #isShown = false
  #isApart = false

  get isComplete(): boolean {
    return this.reason === 'completed' && !this.error
  }

  /** Takes an event in and returns the text that it shows. */
  take(event: TurnEvent): string {
    this.seq = event.seq
    switch (event.type) {
      case 'message.delta':
        this.#isShown = true
        return this.#add(event.text)
      case 'message.complete':
        // A model that does not stream sends the whole text at the end.
        return this.#isShown ? '' : this.#add(event.text)
      case 'image':
        this.#isApart = true
        return this.#add(`![image](data:${event.image.mediaType};base64,${event.image.data})`)
      case 'model.start':
        this.#isShown = false
        return ''
      case 'turn.resume':
      case 'tool.start':
        this.#isApart = true
        return ''
      case 'model.end':
        this.isCut = event.reason === 'length'
        return ''
      case 'error':
        this.error = { code: event.code, message: event.message }
        return ''
      case 'turn.end':
        this.reason = event.reason
        this.usage = event.usage
        return ''
      default:
        return ''
    }
  }

  #add(text: string): string {
    const shown = this.#isApart && this.text && text ? `\n\n${text}` : text
    if (text) this.#isApart = false
    this.text += shown
    return shown
  }
}
