/** The conversation: what a model is sent and what it answered. Plain data everywhere. */

/** A picture in a message. `data` is base64. @since 0.2 */
export interface ImageContent {
  readonly mediaType: string
  readonly data: string
}

/** One request of the model to run a tool. `input` is parsed JSON, or the raw text when it did not parse. @since 0.1 */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** One entry of a conversation. A `tool` message answers the call with its `callId`. @since 0.1 */
export type Message =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ImageContent[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly toolCalls?: readonly ToolCall[]
      readonly reasoning?: string
      readonly images?: readonly ImageContent[]
      readonly carry?: ProviderMetadata
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly text: string
      readonly images?: readonly ImageContent[]
      /** The call failed; `text` is the error. */
      readonly failed?: boolean
    }

/**
 * What a provider expects back with its own answers, such as signed reasoning: plain data that only this provider
 * reads. Sent only to the provider it names.
 * @since 0.2
 */
export interface ProviderMetadata {
  readonly provider: string
  readonly data: unknown
}

/**
 * What one or several model calls took. `input` counts all tokens that were read, `cachedInput` and `cacheWriteInput`
 * those of them that came from a cache or went into one. A count that was not reported is undefined, never zero.
 * @since 0.1
 */
export interface Usage {
  readonly input?: number
  readonly output?: number
  readonly cachedInput?: number
  readonly cacheWriteInput?: number
  readonly reasoning?: number
  /** In US dollars: what is known of it. */
  readonly costUsd?: number
  /** Calls whose price is not known: they are not in `costUsd`, and they were not free. */
  readonly unpricedCalls?: number
}

const counts = [
  'input',
  'output',
  'cachedInput',
  'cacheWriteInput',
  'reasoning',
  'costUsd',
  'unpricedCalls',
] as const satisfies readonly (keyof Usage)[]

/** The sum. A count that neither has stays undefined. @since 0.2 */
export function totalUsage(one: Usage, two: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {}
  for (const key of counts) {
    const [first, second] = [one[key], two[key]]
    if (first !== undefined || second !== undefined) sum[key] = (first ?? 0) + (second ?? 0)
  }
  return sum
}

const examined = new WeakMap<Message, Message>()

/**
 * The message with U+FFFD for halves of characters, which JSON can write and services refuse; itself when it has none. A message
 * is looked at once.
 * @since 0.2
 */
export function toWellFormedMessage(message: Message): Message {
  const known = examined.get(message)
  if (known) return known
  const text = message.text.toWellFormed()
  const calls = message.role === 'assistant' ? message.toolCalls : undefined
  const toolCalls = calls && wholeCalls(calls)
  const isWhole = text === message.text && toolCalls === calls
  const whole = isWhole ? message : ({ ...message, text, ...(toolCalls && { toolCalls }) } as Message)
  examined.set(message, whole)
  return whole
}

/** JSON writes a half alone as an escape, and whole characters as they are. */
function wholeCalls(calls: readonly ToolCall[]): readonly ToolCall[] {
  const json = JSON.stringify(calls)
  if (!json.includes('\\ud')) return calls
  const whole = json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found.length > 2 ? '\ufffd' : found))
  return whole === json ? calls : (JSON.parse(whole) as readonly ToolCall[])
}

/** The start of a block of data that a plugin appends to the text of a user: `<data source="@notes.md">...</data>`. */
const ATTACHED = /\n\n<data source="([^"]*)"/g

/** The text that a user wrote, without the appended blocks of data, and the sources of these blocks. @since 0.2 */
export function stripAttachments(text: string): { readonly text: string; readonly attached: readonly string[] } {
  const blocks = [...text.matchAll(ATTACHED)]
  return { text: text.slice(0, blocks[0]?.index), attached: blocks.map(([, source = '']) => source) }
}
