/** The messages of a stand-in, and which of them a request asks for (zulip.com/api/get-messages). */

export interface Stored {
  readonly id: number
  readonly sender_id: number
  readonly sender_full_name: string
  readonly type: 'stream' | 'private'
  readonly stream_id?: number
  readonly subject: string
  readonly display_recipient: string | readonly { readonly id: number }[]
  readonly timestamp: number
  readonly flags: readonly string[]
  readonly versions: string[]
}

interface Term {
  readonly operator: string
  readonly operand: unknown
}

const MAX_PAGE = 5000

/** As clients get it: with its newest words. */
export function toJson({ versions, flags: _flags, ...message }: Stored): object {
  return { ...message, content: versions.at(-1), content_type: 'text/x-markdown', client: 'website', reactions: [] }
}

/** What the server answers; a text when it refuses. */
export function listHistory(all: readonly Stored[], query: URLSearchParams, ownId: number): object | string {
  const [before, after] = [Number(query.get('num_before')), Number(query.get('num_after'))]
  if (query.get('apply_markdown') !== 'false') return 'This stand-in renders no messages.'
  if (before + after > MAX_PAGE) return `Too many messages requested (maximum ${MAX_PAGE}).`
  const terms = JSON.parse(query.get('narrow') ?? '[]') as readonly Term[]
  const wrong = terms.find(({ operator }) => !['stream', 'channel', 'dm', 'sender'].includes(operator))
  if (wrong) return `Invalid narrow operator: unknown search operator ${wrong.operator}`
  const found = all.filter((each) => terms.every((term) => fits(each, term, ownId)))
  const anchor = query.get('anchor') === 'newest' ? Number.POSITIVE_INFINITY : Number(query.get('anchor'))
  if (Number.isNaN(anchor)) return 'Invalid anchor'
  const older = found.filter(({ id }) => id < anchor)
  const own = query.get('include_anchor') === 'false' ? [] : found.filter(({ id }) => id === anchor)
  const newer = found.filter(({ id }) => id > anchor)
  const messages = [...older.slice(older.length - before), ...own, ...newer.slice(0, after)]
  return {
    messages: messages.map((each) => ({ ...toJson(each), flags: each.flags })),
    found_newest: newer.length <= after,
    anchor,
  }
}

function fits(message: Stored, { operator, operand }: Term, ownId: number): boolean {
  if (operator === 'sender') return message.sender_id === operand
  if (operator !== 'dm') return message.stream_id === operand
  if (typeof message.display_recipient === 'string') return false
  const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== ownId)
  return sorted(others) === sorted(operand)
}

function sorted(ids: unknown): string {
  return Array.isArray(ids) ? [...(ids as number[])].sort((one, two) => one - two).join() : ''
}
