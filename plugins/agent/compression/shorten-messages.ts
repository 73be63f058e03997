/** Makes older messages shorter without a model: long results, repeated ones, long inputs and old pictures. Pure. */
import type { Message, ToolCall } from 'svc/sdk'
import type { LatestTools } from './kept-facts.ts'
import { totalTokens } from './tokens.ts'
import { callsById, callTitle, collectStrings, oneLine, withStrings } from './tool-calls.ts'
import { clipText } from './transcript.ts'

/** Results up to this length are kept; the replacement of a longer one is shorter than this. */
const MAX_RESULT = 200
const MAX_INPUT = 500
const MAX_INPUT_TEXT = 200
const PICTURE = '[a picture that was left out to save room]'
/** How much of required results is kept: the first of these lengths that suffices. */
const LAST_RESORTS = [16_000, 8000, 4000, 2000, 1000]

type Assistant = Extract<Message, { role: 'assistant' }>
type Result = Extract<Message, { role: 'tool' }>

/** The messages, with those from `from` up to and without `to` shortened. What needs no change is the same object. */
export function prune(
  messages: readonly Message[],
  { from, to }: { readonly from: number; readonly to: number },
  latest: LatestTools,
) {
  const calls = callsById(messages)
  const newestPlan = messages.findLastIndex(
    (message) => message.role === 'tool' && latest.has(calls.get(message.callId)?.name ?? ''),
  )
  const newestPicture = messages.findLastIndex((message) => message.role === 'user' && hasImages(message))
  const lastCalls = new Map<string, number>()
  for (const [at, message] of messages.entries()) if (message.role === 'tool') lastCalls.set(message.text, at)
  return messages.map((message, at): Message => {
    if (at < from || at >= to) return message
    const plain = at < newestPicture || message.role !== 'user' ? withoutImages(message) : message
    if (plain.role === 'assistant') return shorterCalls(plain)
    if (plain.role !== 'tool' || at === newestPlan || plain.text.length <= MAX_RESULT) return plain
    const isRepeated = (lastCalls.get(plain.text) ?? at) > at
    return { ...plain, text: digest(plain, calls.get(plain.callId), isRepeated ? 'repeated' : 'single') }
  })
}

function hasImages(message: Message): boolean {
  return 'images' in message && (message.images?.length ?? 0) > 0
}

function withoutImages(message: Message): Message {
  if (message.role === 'system' || !hasImages(message)) return message
  const { images: _, ...rest } = message
  return { ...rest, text: rest.text === '' ? PICTURE : `${rest.text}\n${PICTURE}` }
}

/** One line that says what it was, so that the model can ask for it again. */
function digest({ text, failed }: Result, call: ToolCall | undefined, kind: 'repeated' | 'single'): string {
  const title = call ? callTitle(call, 60) : 'a tool'
  if (kind === 'repeated') return `[${title}: the same result came again later]`
  const lines = text.split('\n').length
  const how = failed ? 'failed' : 'result'
  return `[${title}: ${how} of ${lines} lines, ${text.length} characters, left out; it began: ${oneLine(text, 60)}]`
}

/** Provider metadata contains the original inputs, so it is dropped when they change. */
function shorterCalls(message: Assistant): Message {
  const { toolCalls, carry: _, ...rest } = message
  if (!toolCalls?.some(isLong)) return message
  return { ...rest, toolCalls: toolCalls.map((call) => (isLong(call) ? shorterCall(call) : call)) }
}

function isLong({ input }: ToolCall): boolean {
  return collectStrings(input).reduce((sum, text) => sum + text.length, 0) > MAX_INPUT
}

function shorterCall(call: ToolCall): ToolCall {
  const shorter = (text: string) => {
    if (text.length <= MAX_INPUT_TEXT) return text
    const start = text.slice(0, MAX_INPUT_TEXT - 40).replace(/[\ud800-\udbff]$/, '')
    return `${start}… [${text.length - start.length} characters left out]`
  }
  return { ...call, input: withStrings(call.input, shorter) }
}

/** Every long result cut in its middle, until the whole has so many tokens; undefined when none is long. */
export function clipResults(messages: readonly Message[], most: number): readonly Message[] | undefined {
  for (const length of LAST_RESORTS) {
    const shorter = messages.map((message) => {
      const isLong = message.role === 'tool' && message.text.length > length + MAX_RESULT
      return isLong ? { ...message, text: clipText(message.text, length) } : message
    })
    const isLast = length === LAST_RESORTS.at(-1)
    if (totalTokens(shorter) <= most || isLast)
      return shorter.some((message, at) => message !== messages[at]) ? shorter : undefined
  }
  return undefined
}
