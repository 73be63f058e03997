/** Conversations whose pictures a service does not take: the model reads in words where they were. */
import type { Message } from 'svc/sdk'

/** Which pictures are left out: none, all but those of the newest message that has any, or all. */
export type HiddenPictures = 'none' | 'older' | 'all'

const NOTE = '[a picture that the service did not take]'

/** The same message is written once, so that what was sent before is recognised. */
const written = new WeakMap<Message, Message>()

/** The conversation without these pictures. Messages that keep theirs are the same objects. */
export function withoutPictures(messages: readonly Message[], hidden: HiddenPictures): readonly Message[] {
  if (hidden === 'none') return messages
  const newest = hidden === 'older' ? messages.findLast(hasPictures) : undefined
  return messages.map((message) => (hasPictures(message) && message !== newest ? inWords(message) : message))
}

/** The next pictures to omit, in addition to the omitted ones; undefined if there are none. */
export function findNextHidden(
  messages: readonly Message[],
  { from, wanted }: { readonly from: HiddenPictures; readonly wanted: 'older' | 'all' },
): HiddenPictures | undefined {
  const shown = messages.filter(hasPictures).length
  if (shown === 0 || from === 'all') return undefined
  return wanted === 'older' && from === 'none' && shown > 1 ? 'older' : 'all'
}

function hasPictures(message: Message): boolean {
  return 'images' in message && (message.images?.length ?? 0) > 0
}

function inWords(message: Message): Message {
  const known = written.get(message)
  if (known) return known
  const { images = [], ...rest } = message as Extract<Message, { role: 'user' }>
  const text = [message.text, ...images.map(() => NOTE)].filter((part) => part !== '').join('\n')
  const told = { ...rest, text } as Message
  written.set(message, told)
  return told
}
