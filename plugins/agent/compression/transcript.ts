/** A conversation as text: for a model to sum up (labelled, shortened, unable to end itself), or as an extract. Pure. */
import type { Message, ToolCall } from 'svc/sdk'
import { isRequest } from './cut.ts'
import { splitFacts } from './kept-facts.ts'
import { isBridge, summaryBody } from './summary-message.ts'
import { callsById, callTitle, oneLine } from './tool-calls.ts'

/** Characters of one message, and where they are taken from. */
const MAX_MESSAGE = 6000
const LEAST_MESSAGE = 200
const MAX_INPUT = 1500
const HEAD_SHARE = 0.7

/** Of an extract. */
const MAX_TEXT = 8000
const MAX_EARLIER = 2500
const LAST_MESSAGES = 8

/** The text, with messages shortened until it fits the limit; if it is still too long, the oldest are dropped. */
export function formatTranscript(messages: readonly Message[], most: number): string {
  const calls = callsById(messages)
  for (let length = MAX_MESSAGE; ; length = Math.floor(length / 2)) {
    const entries = messages.map((message) => formatEntry(message, calls, length))
    const sum = entries.reduce((total, entry) => total + entry.length + 2, 0)
    if (sum <= most) return entries.join('\n\n')
    if (length / 2 < LEAST_MESSAGE) return keepNewestEntries(entries, most)
  }
}

/** The beginning and the end of a text. */
export function clipText(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.floor(most * HEAD_SHARE)
  const start = text.slice(0, head).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(text.length - Math.floor(most * (1 - HEAD_SHARE))).replace(/^[\udc00-\udfff]/, '')
  return `${start}\n[... ${text.length - start.length - end.length} characters left out ...]\n${end}`
}

function formatEntry(message: Message, calls: ReadonlyMap<string, ToolCall>, most: number): string {
  const text = clipText(message.text.replace(/<think>[\s\S]*?<\/think>/g, ''), most)
  const pictures = 'images' in message && message.images?.length ? ` [with ${message.images.length} pictures]` : ''
  if (message.role === 'tool') {
    const name = calls.get(message.callId)?.name ?? 'a tool'
    return `[result of ${name}${message.failed ? ', failed' : ''}]${pictures} ${text}`
  }
  const made = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const inputs = made.map(({ name, input }) => {
    return `[call of ${name}] ${clipText(JSON.stringify(input) ?? '', Math.min(MAX_INPUT, most))}`
  })
  return [`[${message.role}]${pictures} ${text}`, ...inputs].join('\n')
}

/** The text without anything that could end what it is quoted in. */
export function unending(text: string): string {
  return text.replaceAll(/<(\/?)(transcript|earlier-summary|focus)/gi, '<$1 $2')
}

function keepNewestEntries(entries: readonly string[], most: number): string {
  let length = 80
  let first = entries.length
  for (; first > 0; first--) {
    length += (entries[first - 1]?.length ?? 0) + 2
    if (length > most) break
  }
  return [`[${first} older messages do not fit in here]`, ...entries.slice(first)].join('\n\n')
}

/**
 * Replaces messages that no model has summarised, if the user wants to continue without a summary: at most 8,000
 * characters with what was asked, what was done, what failed, and the last words.
 */
export function createExtract(messages: readonly Message[]): string {
  const calls = callsById(messages)
  const earlier = messages.flatMap((message) => summaryBody(message) ?? []).map((body) => splitFacts(body).text)
  const failures = messages.flatMap((message) => {
    if (message.role !== 'tool' || !message.failed) return []
    const call = calls.get(message.callId)
    return [`${call ? callTitle(call, 80) : 'a tool'}: ${oneLine(message.text, 160)}`]
  })
  const spoken = messages.filter((message) => message.role !== 'tool' && message.text !== '' && !isBridge(message))
  const sections = [
    section('Earlier summary', earlier.slice(-1), MAX_EARLIER),
    section('What the user asked', formatLines(messages.filter(isRequest)), 2000),
    section(
      'What was done',
      [...calls.values()].map((call) => callTitle(call, 120)),
      1500,
    ),
    section('What failed', failures, 800),
    section(
      'The last of it',
      formatLines(spoken.filter((message) => !summaryBody(message)).slice(-LAST_MESSAGES)),
      1100,
    ),
  ]
  const text = ['No model could sum up these messages; this is an extract.', ...sections.filter((each) => each !== '')]
  return text.join('\n\n').slice(0, MAX_TEXT)
}

function formatLines(messages: readonly Message[]): string[] {
  return messages.map(({ role, text }) => `${role}: ${oneLine(text, 260)}`)
}

/** The newest entries that fit. */
function section(title: string, entries: readonly string[], most: number): string {
  const fitting: string[] = []
  let length = 0
  for (const entry of entries.toReversed()) {
    const cut = entry.slice(0, most)
    length += cut.length + 3
    if (length > most + 3) break
    fitting.unshift(`- ${cut}`)
  }
  return fitting.length === 0 ? '' : [`## ${title}`, ...fitting].join('\n')
}
