/** Annotations and redactions (https://spec.matrix.org/latest/client-server-api/#event-annotations-and-reactions). */
import { type ServiceAnswer, StandInReactions } from 'svc/sdk/kit/stand-in'
import { type Content, failure } from './wire.ts'

export class MatrixReactions {
  readonly marks = new StandInReactions()
  readonly #set: Map<string, { readonly messageId: string; readonly key: string }> = new Map()

  /** Why the content is not valid for `m.reaction`; undefined if it is. */
  wrong(content: Content | undefined, isThere: (id: string) => boolean): ServiceAnswer | undefined {
    const { rel_type: kind, event_id: id, key } = (content?.['m.relates_to'] ?? {}) as Record<string, unknown>
    if (kind !== 'm.annotation' || typeof id !== 'string' || typeof key !== 'string')
      return failure(400, 'M_BAD_JSON', 'm.relates_to must be an annotation with event_id and key')
    if (!isThere(id)) return failure(404, 'M_NOT_FOUND', 'Event not found')
    // https://spec.matrix.org/latest/client-server-api/#avoiding-duplicate-annotations
    return this.marks.under(id).includes(key)
      ? failure(400, 'M_DUPLICATE_ANNOTATION', "Can't send same reaction twice")
      : undefined
  }

  add(eventId: string, content: Content): void {
    const { event_id: messageId, key } = content['m.relates_to'] as { event_id: string; key: string }
    this.#set.set(eventId, { messageId, key })
    this.marks.add(messageId, key)
  }

  redact(eventId: string): ServiceAnswer {
    const mark = this.#set.get(eventId)
    if (!mark) return failure(404, 'M_NOT_FOUND', 'Event not found')
    this.marks.remove(mark.messageId, mark.key)
    return { body: { event_id: `$redacts-${eventId.slice(1)}` } }
  }
}
