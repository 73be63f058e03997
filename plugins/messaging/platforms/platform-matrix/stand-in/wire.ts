/** How a homeserver of Matrix refuses, and what a client shows of a message (https://spec.matrix.org/latest/client-server-api/). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { StandInDelivery } from 'svc/sdk/platform'

export type Content = Readonly<Record<string, unknown>>

/** An event of a room. */
export interface RoomEvent {
  readonly type: string
  readonly event_id: string
  readonly room_id: string
  readonly sender: string
  readonly state_key?: string
  readonly origin_server_ts: number
  readonly content: Content
}

/** A standard error. */
export function failure(status: number, errcode: string, error: string, more: object = {}): ServiceAnswer {
  return { status, body: { errcode, error, ...more } }
}

/** How a send that goes wrong is answered before anything was done. */
export function createRefusal(fault: string): ServiceAnswer | undefined {
  if (fault === 'busy') return failure(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', { retry_after_ms: 1000 })
  if (fault === 'unavailable') return failure(503, 'M_UNKNOWN', 'Service unavailable')
  if (fault === 'forbidden') return failure(403, 'M_FORBIDDEN', 'You may not send messages here')
  return fault === 'lost' ? 'cut' : undefined
}

/** The messages among events, each as its edits have left it. */
export function listDeliveries(
  own: readonly RoomEvent[],
  filesOf: (content: Content) => StandInDelivery['files'],
): StandInDelivery[] {
  const relation = ({ content }: RoomEvent) => (content['m.relates_to'] ?? {}) as Record<string, unknown>
  const isEdit = (event: RoomEvent) => relation(event)['rel_type'] === 'm.replace'
  return own
    .filter((event) => !isEdit(event))
    .map((event) => {
      const edits = own.filter((each) => isEdit(each) && relation(each)['event_id'] === event.event_id)
      const contents = [event.content, ...edits.map(({ content }) => content['m.new_content'] as Content)]
      const newest = contents.at(-1) ?? event.content
      const thread = relation(event)['rel_type'] === 'm.thread' && relation(event)['event_id']
      return {
        messageId: event.event_id,
        chatId: event.room_id,
        ...(typeof thread === 'string' && { threadId: thread }),
        raw: getRawText(newest),
        visible: getVisibleText(newest),
        versions: contents.map(getRawText),
        buttons: choicesIn(getVisibleText(newest)).map(({ label }) => label),
        files: filesOf(newest),
      }
    })
}

/** Lines that begin with an emoji and are meant to be answered by it, as a person reads them. */
function choicesIn(visible: string): readonly { readonly emoji: string; readonly label: string }[] {
  return visible.split('\n').flatMap((line) => {
    const [, emoji, label] = /^(✅|❌|\d\ufe0f\u20e3|🔟) (.+)$/u.exec(line.trim()) ?? []
    return emoji && label ? [{ emoji, label }] : []
  })
}

/** The annotation with the emoji that stands before a choice. */
export function createPress(shown: readonly StandInDelivery[], roomId: string, label: string): Content {
  const message = shown.findLast(({ chatId, buttons }) => chatId === roomId && buttons.includes(label))
  const key = message && choicesIn(message.visible).find((each) => each.label === label)?.emoji
  if (!message || !key) throw new Error(`There is no choice "${label}".`)
  return { 'm.relates_to': { rel_type: 'm.annotation', event_id: message.messageId, key } }
}

/** As it was sent. */
function getRawText(content: Content): string {
  return String(content['formatted_body'] ?? content['body'] ?? '')
}

/** What a client shows: the HTML where there is some. */
function getVisibleText(content: Content): string {
  if (content['format'] !== 'org.matrix.custom.html') return String(content['body'] ?? '')
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return String(content['formatted_body'] ?? '')
    .replace(/<br\s*\/?>|<\/?(?:p|h\d|blockquote|pre)>/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+|#39);/g, (all, name: string) => entities[name] ?? all)
}

/** Whether this user came into the room by it. */
export function isOwnJoin({ type, state_key, content }: RoomEvent, userId: string): boolean {
  return type === 'm.room.member' && state_key === userId && content['membership'] === 'join'
}

/** Why a homeserver refuses the content of a message; undefined if it does not. */
export function explainWrong(type: string, content: Content): string | undefined {
  const names = type === 'm.room.encrypted' ? ['algorithm', 'ciphertext', 'session_id'] : ['body', 'msgtype']
  return names.some((name) => typeof content[name] !== 'string') ? `${names.join(', ')} are required` : undefined
}

/** The state of a joined member. */
export function toMember(roomId: string, id: string): object {
  return { type: 'm.room.member', room_id: roomId, sender: id, state_key: id, content: { membership: 'join' } }
}
